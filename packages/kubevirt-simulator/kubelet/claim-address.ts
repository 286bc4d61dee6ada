import { createSocket } from 'node:dgram';

export interface Claim {
  release(): void;
}

/** Claims an address for this process; undefined where another process has claimed it. */
export type ClaimAddress = (address: string) => Promise<Claim | undefined>;

/** A port that no program of ours listens on. */
const PORT = 65_535;

/** Claims an address by holding a UDP port of it, which the operating system gives up when the process ends, however it does. */
export const claimAddress: ClaimAddress = async (address) => {
  const socket = createSocket('udp4').unref();
  const claimed = await new Promise<boolean>((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    socket.bind({ address, port: PORT, exclusive: true }, () => {
      resolve(true);
    });
  });
  if (!claimed) {
    socket.close();
    return undefined;
  }
  socket.on('error', () => undefined);
  return {
    release: () => {
      socket.close();
    },
  };
};
