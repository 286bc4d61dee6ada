import { describe, expect, it } from 'vitest';
import { agentStatus } from './guest-agent.ts';

describe('the interfaces of a guest agent', () => {
  const pod = { name: 'default', mac: '02:00:00:00:00:01', infoSource: 'domain', ipAddress: '10.88.0.4' };
  const lan = { name: 'lan', mac: '02:00:00:00:00:02', infoSource: 'domain, multus-status' };
  const told = (leased?: ReadonlyMap<string, string | undefined>, known: object = {}) =>
    agentStatus([pod, { ...lan, ...known }], leased).interfaces;

  it('have their names in the guest', () => {
    expect(told()).toEqual([
      { ...pod, interfaceName: 'eth0', infoSource: 'domain, guest-agent' },
      { ...lan, interfaceName: 'eth1', infoSource: 'domain, guest-agent, multus-status' },
    ]);
  });

  it('have addresses from DHCP servers', () => {
    const addresses = { ipAddress: '10.0.0.7', ipAddresses: ['10.0.0.7'] };
    expect(told(new Map([['lan', '10.0.0.7']]))).toMatchObject([{ ipAddress: '10.88.0.4' }, addresses]);
  });

  it('have no lost addresses', () => {
    const known = { ipAddress: '10.0.0.7', ipAddresses: ['10.0.0.7'] };
    expect(told(new Map(), known)?.[1]).toMatchObject(known);
    const lost = told(new Map([['lan', undefined]]), known)?.[1];
    expect(lost).not.toHaveProperty('ipAddress');
    expect(lost).not.toHaveProperty('ipAddresses');
  });
});
