import { describe, expect, it } from 'vitest';
import { agentStatus } from './guest-agent.ts';

describe('what a guest agent tells of interfaces', () => {
  const pod = { name: 'default', mac: '02:00:00:00:00:01', infoSource: 'domain', ipAddress: '10.88.0.4' };
  const lan = { name: 'lan', mac: '02:00:00:00:00:02', infoSource: 'domain, multus-status' };
  const told = (leased?: ReadonlyMap<string, string | undefined>, known: object = {}) =>
    agentStatus([pod, { ...lan, ...known }], leased).interfaces;

  it('is what they are called, beside what the domain says', () => {
    expect(told()).toEqual([
      { ...pod, interfaceName: 'eth0', infoSource: 'domain, guest-agent' },
      { ...lan, interfaceName: 'eth1', infoSource: 'domain, guest-agent, multus-status' },
    ]);
  });

  it('is the address that a DHCP server has given', () => {
    const addresses = { ipAddress: '10.0.0.7', ipAddresses: ['10.0.0.7'] };
    expect(told(new Map([['lan', '10.0.0.7']]))).toMatchObject([{ ipAddress: '10.88.0.4' }, addresses]);
  });

  it('is that an address was lost; of one that it knows nothing of it says nothing', () => {
    const known = { ipAddress: '10.0.0.7', ipAddresses: ['10.0.0.7'] };
    expect(told(new Map(), known)?.[1]).toMatchObject(known);
    const lost = told(new Map([['lan', undefined]]), known)?.[1];
    expect(lost).not.toHaveProperty('ipAddress');
    expect(lost).not.toHaveProperty('ipAddresses');
  });
});
