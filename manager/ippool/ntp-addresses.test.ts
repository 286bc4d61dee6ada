import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { parseIpv4Cidr } from '../../api/index.ts';
import { isNtpAddress, resolveIpv4 } from './ntp-addresses.ts';

const ALLOWED = [parseIpv4Cidr('10.20.0.0/16') ?? expect.fail('it is a network')];

it.each([
  '10.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '168.63.129.16',
  '::1',
])('the manager does not show that a name resolves to %s', (address) => {
  expect(isNtpAddress(address, ALLOWED)).toBe(false);
});

it.each(['162.159.200.1', '172.32.0.1', '10.20.3.4'])('a name may resolve to %s', (address) => {
  expect(isNtpAddress(address, ALLOWED)).toBe(true);
});

it('asks the name servers', async () => {
  const server = createSocket('udp4', (query, { address, port }) => {
    const answer = Buffer.concat([query, Buffer.from('c00c00010001000000000004a29fc801', 'hex')]);
    answer.writeUInt16BE(0x8180, 2);
    // One answer: the same name, A, IN, no time to live, 162.159.200.1; no additional records.
    answer.writeUInt16BE(1, 6);
    answer.writeUInt16BE(0, 10);
    server.send(answer, port, address);
  }).bind(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await resolveIpv4('time.example', [`127.0.0.1:${server.address().port}`])).toEqual(['162.159.200.1']);
});
