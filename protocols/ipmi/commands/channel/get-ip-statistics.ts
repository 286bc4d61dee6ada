import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { requireLanChannel } from './channel.ts';

const CLEAR = 0x01;
/** Counters stop there. */
const MAX_COUNT = 0xffff;

/**
 * Get IP/UDP/RMCP Statistics, IPMI 2.0 §23.4. The BMC sees only datagrams for its port: header and address errors, fragments and proxied
 * packets are zero. With the clear bit the response has the counters before.
 */
export const getIpStatistics: SessionCommand = {
  name: 'Get IP/UDP/RMCP Statistics',
  netFn: NET_FN.transport,
  command: 0x04,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: false,
  handle: (request, { bmc }) => {
    requireLanChannel(request.readUInt8(0));
    const { received, validRmcp, sent } = bmc.statistics;
    if ((request.readUInt8(1) & CLEAR) !== 0) bmc.statistics.clear();
    // IP: received, header errors, address errors, fragments, sent; UDP received; RMCP received; proxied, dropped.
    return encodeCounters([received, 0, 0, 0, sent, received, validRmcp, 0, 0]);
  },
};

function encodeCounters(counters: readonly number[]): Buffer {
  const data = Buffer.alloc(2 * counters.length);
  for (const [index, count] of counters.entries()) data.writeUInt16LE(Math.min(count, MAX_COUNT), 2 * index);
  return data;
}
