/** Bit of the BMC global enables, IPMI 2.0 §22.1: event log. There is no system interface with interrupts or buffers. */
export const SYSTEM_EVENT_LOGGING = 0x08;
