export { GuestHost } from './guest-host.ts';
export type { GuestSocket } from './guest-socket.ts';
export { screenConsole, screenRefusal, screenshot } from './screen-console.ts';
export { serialConsole } from './serial-console.ts';
