/** What is used of the server of the npm package `dhcp` 0.2.20, which has no types of its own. */
declare module 'dhcp' {
  type NpmMessage = Parameters<(typeof import('dhcp/lib/protocol.js'))['default']['format']>[0];

  export interface Server {
    on(event: 'error', listener: (error: unknown) => void): void;
    listen(port: number, host: string): void;
    _send(host: string, answer: NpmMessage): void;
    readonly _sock: import('node:dgram').Socket;
  }
  const dhcp: { createServer(options: object): Server };
  export default dhcp;
}
