import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * Loaded into a process under test by `node --expose-gc --import=<this file>?folder=<folder>`. It listens on a UNIX socket named after the
 * process's ID, and does one command for each connection: `heap` answers with the bytes in use after garbage collection; `clock <ms>` sets
 * the system's time, as the program sees it, forward or back.
 */
const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
const systemTime = Date.now.bind(Date);
let ahead = 0;

const server = createServer((socket) => {
  socket.setEncoding('utf8').once('data', (command: string) => {
    const [name, value] = command.trim().split(' ');
    if (name === 'clock') {
      ahead = Number(value);
      Date.now = () => systemTime() + ahead;
      socket.end('0');
      return;
    }
    // Twice: finalizers of the first collection free more.
    for (let round = 0; round < 2; round += 1) (globalThis as { gc?: () => void }).gc?.();
    socket.end(String(process.memoryUsage().heapUsed));
  });
  socket.on('error', () => undefined);
});
server.listen(join(folder, `${process.pid}.sock`));
server.unref();
