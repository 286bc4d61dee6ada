import { describe, expect, it } from 'vitest';
import { agentName, dhcpAgentName, labelValue, networkKey, networkLabel } from './names.ts';

const DNS_1035 = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe('agentName', () => {
  it('is the name that KubeVirtBMC gives', () => {
    expect(agentName('testvm')).toBe('testvm-virtbmc');
    expect(agentName('a'.repeat(55))).toBe(`${'a'.repeat(55)}-virtbmc`);
  });

  it.each(['a'.repeat(56), '1vm', 'web.prod', 'Web', `${'a.'.repeat(120)}a`])(
    'is a hash where %s makes no name of a Service',
    (vm) => {
      expect(agentName(vm)).toMatch(/^vm-[0-9a-f]{8}-virtbmc$/);
      expect(agentName(vm)).toMatch(DNS_1035);
    },
  );

  it('is stable, and another for another VM', () => {
    expect(agentName('web.prod')).toBe('vm-558e18b6-virtbmc');
    expect(agentName('web.test')).not.toBe(agentName('web.prod'));
  });
});

describe('a network', () => {
  it('is of the namespace of the object that names it, where that says none', () => {
    expect(networkKey('lan', 'vms')).toBe('vms/lan');
    expect(networkKey('infra/lan', 'vms')).toBe('infra/lan');
  });

  it('has a label however long its name is', () => {
    expect(networkLabel('infra/lan')).toBe('infra.lan');
    expect(networkLabel(`infra/${'n'.repeat(253)}`)).toMatch(/^infra\.n{48}-[0-9a-f]{8}$/);
  });

  it('has agents with a DNS label for a name, and none of another network', () => {
    expect(dhcpAgentName('prod-net', 1)).toBe('prod-net-dhcp-1');
    const names = ['a-b', 'a.b', 'n'.repeat(57), 'n'.repeat(253)].map((network) => dhcpAgentName(network, 0));
    for (const name of names) expect(name).toMatch(DNS_1035);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the other names', () => {
  it('fit a label: the name itself, or its beginning and a hash', () => {
    expect(labelValue('web.prod')).toBe('web.prod');
    expect(labelValue('a'.repeat(63))).toBe('a'.repeat(63));
    expect(labelValue('a'.repeat(64))).toMatch(/^a{54}-[0-9a-f]{8}$/);
  });
});
