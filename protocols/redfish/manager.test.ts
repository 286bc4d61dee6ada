import { beforeEach, describe, expect, it } from 'vitest';
import { managerRoutes } from './manager.ts';
import { MachineError } from '../machine/index.ts';
import { CALLER, FakeBmc, payloadAt } from './testing/index.ts';

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
});

const MANAGER = '/redfish/v1/Managers/1';

function patchOf(name: string) {
  return managerRoutes(bmc.context)
    .find(({ path }) => path === `${MANAGER}/${name}`)
    ?.find({})?.patch;
}

function actionsOf() {
  return (
    managerRoutes(bmc.context)
      .find(({ path }) => path === MANAGER)
      ?.find({})?.actions ?? []
  );
}

describe('Managers/1', () => {
  it('shows its identity, version and time', async () => {
    const { context } = bmc;
    bmc.time += 60_000;

    expect(await payloadAt(managerRoutes(context), MANAGER)).toMatchObject({
      ManagerType: 'BMC',
      FirmwareVersion: '1.2.3',
      UUID: bmc.options.serviceUuid,
      ServiceEntryPointUUID: bmc.options.serviceUuid,
      DateTime: '2026-11-22T01:03:03Z',
      DateTimeLocalOffset: '+00:00',
      LastResetTime: '2026-11-22T01:02:03Z',
      Links: { ManagerForServers: [{ '@odata.id': '/redfish/v1/Systems/1' }] },
    });
  });

  it('has no ETag because its clock changes', async () => {
    expect(await payloadAt(managerRoutes(bmc.context), MANAGER)).not.toHaveProperty('@odata.etag');
  });

  it('shows virtual media and the serial console to older clients only', async () => {
    const routes = managerRoutes(bmc.context);
    expect(await payloadAt(routes, MANAGER)).not.toHaveProperty('VirtualMedia');

    bmc.legacyProperties = true;
    expect(await payloadAt(routes, MANAGER)).toMatchObject({
      VirtualMedia: { '@odata.id': '/redfish/v1/Systems/1/VirtualMedia' },
      SerialConsole: { ServiceEnabled: false, MaxConcurrentSessions: 0, ConnectTypesSupported: [] },
    });

    bmc.network = { ...bmc.network, ipmiPort: 623 };
    expect(await payloadAt(routes, MANAGER)).toMatchObject({
      SerialConsole: { ServiceEnabled: true, MaxConcurrentSessions: 1, ConnectTypesSupported: ['IPMI'] },
    });
  });

  it('restarts after the answer is sent', async () => {
    const [reset] = actionsOf();

    expect(reset?.name).toBe('Manager.Reset');
    expect(await reset?.run({ ResetType: 'ForceRestart' }, CALLER)).toBeUndefined();
    expect(bmc.restarts).toBe(0);
    expect(bmc.audited).toEqual(['the BMC is restarted']);

    bmc.runScheduled();
    expect(bmc.restarts).toBe(1);
  });
});

describe('NetworkProtocol', () => {
  it('shows the enabled services and all others as disabled', async () => {
    bmc.certificates = ['any'];
    bmc.network = { ...bmc.network, fqdn: 'testvm-bmc.example', ipmiPort: 623 };

    expect(await payloadAt(managerRoutes(bmc.context), `${MANAGER}/NetworkProtocol`)).toMatchObject({
      HostName: 'testvm-bmc',
      FQDN: 'testvm-bmc.example',
      HTTPS: {
        ProtocolEnabled: true,
        Port: 443,
        Certificates: { '@odata.id': `${MANAGER}/NetworkProtocol/HTTPS/Certificates` },
      },
      HTTP: { ProtocolEnabled: false, Port: null },
      IPMI: { ProtocolEnabled: true, Port: 623 },
      SSH: { ProtocolEnabled: false, Port: null },
      SSDP: { ProtocolEnabled: false },
    });
  });

  it.each([80, null])('has plain HTTP at port %s', async (httpPort) => {
    bmc.network = { ...bmc.network, httpPort };
    expect(await payloadAt(managerRoutes(bmc.context), `${MANAGER}/NetworkProtocol`)).toMatchObject({
      HTTP: { ProtocolEnabled: true, Port: httpPort },
    });
  });

  it('switches IPMI and plain HTTP on and off', async () => {
    bmc.network = { ...bmc.network, ipmiPort: 623 };
    const patch = patchOf('NetworkProtocol');

    await patch?.apply({ IPMI: { ProtocolEnabled: false }, HTTP: { ProtocolEnabled: true } }, CALLER);
    expect(await payloadAt(managerRoutes(bmc.context), `${MANAGER}/NetworkProtocol`)).toMatchObject({
      IPMI: { ProtocolEnabled: false },
      HTTP: { ProtocolEnabled: true, Port: 80 },
    });
    expect(bmc.audited).toEqual(['IPMI is switched off, plain HTTP is switched on']);
  });

  it('asks for nothing that is so already', async () => {
    bmc.network = { ...bmc.network, ipmiPort: 623 };
    bmc.refusal = new MachineError('Unavailable', 'nothing must be asked');
    await patchOf('NetworkProtocol')?.apply({ IPMI: { ProtocolEnabled: true }, HTTP: {} }, CALLER);
    expect(bmc.audited).toEqual([]);
  });

  it('reports no change that was refused', async () => {
    bmc.refusal = new MachineError('Timeout', 'the Kubernetes API has not answered');
    const changing = patchOf('NetworkProtocol')?.apply({ HTTP: { ProtocolEnabled: true } }, CALLER);
    await expect(changing).rejects.toBe(bmc.refusal);
    expect(bmc.audited).toEqual([]);
  });

  it('shows HTTPS as disabled without a certificate', async () => {
    expect(await payloadAt(managerRoutes(bmc.context), `${MANAGER}/NetworkProtocol`)).toMatchObject({
      FQDN: null,
      HTTPS: { ProtocolEnabled: false, Port: null },
    });
  });
});

describe('EthernetInterfaces/1', () => {
  it('shows the addresses of the BMC, and null for unknown properties', async () => {
    bmc.network = { ...bmc.network, addresses: ['192.0.2.9', '2001:db8::9', 'bmc.example'] };

    expect(await payloadAt(managerRoutes(bmc.context), `${MANAGER}/EthernetInterfaces/1`)).toMatchObject({
      MACAddress: null,
      SpeedMbps: null,
      IPv4Addresses: [{ Address: '192.0.2.9', SubnetMask: null, AddressOrigin: null, Gateway: null }],
      IPv6Addresses: [{ Address: '2001:db8::9', PrefixLength: null, AddressOrigin: null, AddressState: null }],
    });
  });

  it('accepts PATCH but has no writable properties', async () => {
    const patch = patchOf('EthernetInterfaces/1');

    expect(patch?.rules.properties).toEqual({});
    expect(await patch?.apply({}, CALLER)).toBeUndefined();
  });
});
