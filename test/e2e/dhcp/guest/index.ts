export { BOOTED, BootServer } from './boot-server.ts';
export { Guest, GUEST_TOOLS, type Firmware } from './guest.ts';
