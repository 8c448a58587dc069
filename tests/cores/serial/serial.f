// The serial core: module serial_gpu. Paths start at the folder of this list.
serial.vlt
serial_pkg.sv
serial_execute.sv
serial_csrs.sv
serial_barriers.sv
serial_memory.sv
serial_engine.sv
serial_launch.sv
serial_bus.sv
serial_gpu.sv
