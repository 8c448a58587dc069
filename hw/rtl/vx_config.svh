// Defaults of the configuration macros; config/hardware.py overrides them on the command line of every build.
`ifndef VX_CONFIG_SVH
`define VX_CONFIG_SVH

`ifndef VX_CFG_NUM_CLUSTERS
`define VX_CFG_NUM_CLUSTERS 1
`endif
`ifndef VX_CFG_NUM_CORES
`define VX_CFG_NUM_CORES 1
`endif
`ifndef VX_CFG_SOCKET_SIZE
`define VX_CFG_SOCKET_SIZE 1
`endif
`ifndef VX_CFG_NUM_WARPS
`define VX_CFG_NUM_WARPS 4
`endif
`ifndef VX_CFG_NUM_THREADS
`define VX_CFG_NUM_THREADS 4
`endif
`ifndef VX_CFG_SIMD_WIDTH
`define VX_CFG_SIMD_WIDTH `VX_CFG_NUM_THREADS
`endif
`ifndef VX_CFG_NUM_BARRIERS
`define VX_CFG_NUM_BARRIERS 8
`endif
`ifndef VX_CFG_XLEN
`define VX_CFG_XLEN 32
`endif
`ifndef VX_CFG_FLEN
`define VX_CFG_FLEN 32
`endif
`ifndef VX_CFG_EXT_M
`define VX_CFG_EXT_M 1
`endif
`ifndef VX_CFG_EXT_F
`define VX_CFG_EXT_F 1
`endif
`ifndef VX_CFG_EXT_A
`define VX_CFG_EXT_A 1
`endif
`ifndef VX_CFG_EXT_ZICOND
`define VX_CFG_EXT_ZICOND 1
`endif
`ifndef VX_CFG_EXT_SIMT_FULL
`define VX_CFG_EXT_SIMT_FULL 1
`endif
`ifndef VX_CFG_EXT_PACKED
`define VX_CFG_EXT_PACKED 1
`endif
`ifndef VX_CFG_ICACHE_SIZE
`define VX_CFG_ICACHE_SIZE 16384
`endif
`ifndef VX_CFG_ICACHE_WAYS
`define VX_CFG_ICACHE_WAYS 4
`endif
`ifndef VX_CFG_DCACHE_SIZE
`define VX_CFG_DCACHE_SIZE 16384
`endif
`ifndef VX_CFG_DCACHE_WAYS
`define VX_CFG_DCACHE_WAYS 4
`endif
`ifndef VX_CFG_DCACHE_WRITEBACK
`define VX_CFG_DCACHE_WRITEBACK 0
`endif
`ifndef VX_CFG_L2_SIZE
`define VX_CFG_L2_SIZE 0
`endif
`ifndef VX_CFG_L2_WAYS
`define VX_CFG_L2_WAYS 8
`endif
`ifndef VX_CFG_L1_LINE_SIZE
`define VX_CFG_L1_LINE_SIZE 64
`endif
`ifndef VX_CFG_LMEM_LOG_SIZE
`define VX_CFG_LMEM_LOG_SIZE 14
`endif
`ifndef VX_CFG_AXI_NUM_BANKS
`define VX_CFG_AXI_NUM_BANKS 1
`endif
`ifndef VX_CFG_AXI_DATA_WIDTH
`define VX_CFG_AXI_DATA_WIDTH 512
`endif
`ifndef VX_CFG_AXI_ADDR_WIDTH
`define VX_CFG_AXI_ADDR_WIDTH 32
`endif
`ifndef VX_CFG_AXI_TID_WIDTH
`define VX_CFG_AXI_TID_WIDTH 8
`endif
`ifndef VX_CFG_STACK_BASE_ADDR
`define VX_CFG_STACK_BASE_ADDR 32'hffff0000
`endif

`endif
