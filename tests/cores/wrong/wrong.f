// The serial core with a wrong multiplier.
+define+SERIAL_WRONG_MUL
-F ../serial/serial.f
