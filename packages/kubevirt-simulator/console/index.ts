export { GuestHost } from './guest-host.ts';
export { SerialConsole } from './serial-console.ts';
