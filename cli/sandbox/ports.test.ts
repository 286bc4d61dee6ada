import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkPort, PortError } from './ports.ts';

describe('checkPort', () => {
  it('names a busy UDP port and the option that chooses another', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    const refusal = expect(checkPort('udp', port, '--ipmi-port')).rejects;
    await refusal.toBeInstanceOf(PortError);
    await expect(checkPort('udp', port, '--ipmi-port')).rejects.toThrow(
      `UDP port 127.0.0.1:${port} is in use by another program. Choose another with --ipmi-port, or stop that program.`,
    );
    socket.close();
    await once(socket, 'close');
    await expect(checkPort('udp', port, '--ipmi-port')).resolves.toBeUndefined();
  });

  it('names a busy TCP port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(checkPort('tcp', port, '--api-port')).rejects.toThrow(`TCP port 127.0.0.1:${port} is in use`);
    server.close();
  });
});
