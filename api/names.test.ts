import { describe, expect, it } from 'vitest';
import { agentName, dhcpAgentName, labelValue, networkKey, networkLabel } from './names.ts';

const DNS_1035 = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe('agentName', () => {
  it('is the same as in KubeVirtBMC', () => {
    expect(agentName('testvm')).toBe('testvm-virtbmc');
    expect(agentName('a'.repeat(55))).toBe(`${'a'.repeat(55)}-virtbmc`);
  });

  it.each(['a'.repeat(56), '1vm', 'web.prod', 'Web', `${'a.'.repeat(120)}a`])(
    'contains a hash if %s gives no valid Service name',
    (vm) => {
      expect(agentName(vm)).toMatch(/^vm-[0-9a-f]{8}-virtbmc$/);
      expect(agentName(vm)).toMatch(DNS_1035);
    },
  );

  it('is stable and different for each VM', () => {
    expect(agentName('web.prod')).toBe('vm-558e18b6-virtbmc');
    expect(agentName('web.test')).not.toBe(agentName('web.prod'));
  });
});

describe('a network', () => {
  it('defaults to the namespace of the object that names it', () => {
    expect(networkKey('lan', 'vms')).toBe('vms/lan');
    expect(networkKey('infra/lan', 'vms')).toBe('infra/lan');
  });

  it('has a label of limited length', () => {
    expect(networkLabel('infra/lan')).toBe('infra.lan');
    expect(networkLabel(`infra/${'n'.repeat(253)}`)).toMatch(/^infra\.n{48}-[0-9a-f]{8}$/);
  });

  it('has agents with unique DNS labels as names', () => {
    expect(dhcpAgentName('prod-net', 1)).toBe('prod-net-dhcp-1');
    const names = ['a-b', 'a.b', 'n'.repeat(57), 'n'.repeat(253)].map((network) => dhcpAgentName(network, 0));
    for (const name of names) expect(name).toMatch(DNS_1035);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('labelValue', () => {
  it('is the name, or its beginning and a hash', () => {
    expect(labelValue('web.prod')).toBe('web.prod');
    expect(labelValue('a'.repeat(63))).toBe('a'.repeat(63));
    expect(labelValue('a'.repeat(64))).toMatch(/^a{54}-[0-9a-f]{8}$/);
  });
});
