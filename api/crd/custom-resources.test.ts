import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from './custom-resources.ts';

const definitions = new Map(
  CUSTOM_RESOURCES.map((resource) => {
    const definition = customResourceDefinition(resource);
    return [definition.metadata.name, definition];
  }),
);

function columns(name: string): string[] {
  return definitions.get(name)?.spec.versions[0]?.additionalPrinterColumns.map((column) => column.name) ?? [];
}

describe('the CustomResourceDefinitions', () => {
  it('are those that users of KubeVirtBMC and vm-dhcp-controller have, and IPLease', () => {
    const names = [...definitions.values()].map(({ metadata, spec }) => [
      metadata.name,
      spec.names.kind,
      spec.versions.map(({ name }) => name).join(),
      spec.names.shortNames.join(),
    ]);
    expect(names).toEqual([
      ['virtualmachinebmcs.bmc.kubevirt.io', 'VirtualMachineBMC', 'v1beta1', 'vmbmc,vmbmcs'],
      ['ippools.network.harvesterhci.io', 'IPPool', 'v1alpha1', 'ippl,ippls'],
      [
        'virtualmachinenetworkconfigs.network.harvesterhci.io',
        'VirtualMachineNetworkConfig',
        'v1alpha1',
        'vmnetcfg,vmnetcfgs',
      ],
      ['ipleases.network.harvesterhci.io', 'IPLease', 'v1alpha1', 'iplease,ipleases'],
    ]);
  });

  it('show the columns that those users know, in their order, before ours', () => {
    expect(columns('virtualmachinebmcs.bmc.kubevirt.io').slice(0, 4)).toEqual([
      'VIRTUALMACHINE',
      'SECRET',
      'CLUSTERIP',
      'SERVICEREADY',
    ]);
    expect(columns('ippools.network.harvesterhci.io').slice(0, 6)).toEqual([
      'NETWORK',
      'AVAILABLE',
      'USED',
      'REGISTERED',
      'CACHEREADY',
      'AGENTREADY',
    ]);
    expect(columns('virtualmachinenetworkconfigs.network.harvesterhci.io').slice(0, 4)).toEqual([
      'VMNAME',
      'ALLOCATED',
      'DISABLED',
      'INSYNCED',
    ]);
    expect(columns('ipleases.network.harvesterhci.io')).toEqual(['ADDRESS', 'MAC', 'VM', 'STATE', 'LAST-SEEN', 'AGE']);
  });

  it('leave to the installation whether IPMI and plain HTTP are on', () => {
    const spec = definitions.get('virtualmachinebmcs.bmc.kubevirt.io')?.spec.versions[0]?.schema.openAPIV3Schema
      .properties?.spec?.properties;
    expect(spec?.ipmi?.properties?.enabled).not.toHaveProperty('default');
    expect(spec?.redfish?.properties?.http?.properties?.enabled).not.toHaveProperty('default');
  });
});
