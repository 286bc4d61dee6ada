import { isIPv4, isIPv6 } from 'node:net';
import { HTTPS_CERTIFICATES } from './certificates.ts';
import { collection, type Action, type Patch, type Resource, type Route } from './resource.ts';
import { dateTime, isObject, type Json, type JsonObject } from './json.ts';
import { CHASSIS, link, MANAGER, ROOT, SYSTEM, UPDATE_SERVICE, VIRTUAL_MEDIA } from './uris.ts';
import { describeManagerConsole } from './consoles/described-consoles.ts';
import type { RedfishContext } from './context.ts';
import type { ObjectRule } from './rules.ts';
import { PRODUCT, VENDOR } from './service-root.ts';

const INTERFACES = `${MANAGER}/EthernetInterfaces`;
/** ms between the answer to a reset and the reset, so that the answer reaches the client. */
const RESET_DELAY = 500;

/** The BMC itself and its network services. */
export function managerRoutes(context: RedfishContext): Route[] {
  const find = (): Resource => manager(context);
  const findInterface = (): Resource => ethernetInterface(context);
  const managers = collection('ManagerCollection', 'Managers', () => [{ uri: MANAGER, resource: find() }]);
  const interfaces = collection('EthernetInterfaceCollection', 'Manager Ethernet Interfaces', () => [
    { uri: `${INTERFACES}/1`, resource: findInterface() },
  ]);
  return [
    { path: `${ROOT}/Managers`, find: () => managers },
    { path: MANAGER, find },
    { path: `${MANAGER}/NetworkProtocol`, find: () => networkProtocol(context) },
    { path: INTERFACES, find: () => interfaces },
    { path: `${INTERFACES}/1`, find: findInterface },
  ];
}

function manager(context: RedfishContext): Resource {
  const { options, startedAt } = context;
  const firmware = link(`${UPDATE_SERVICE}/FirmwareInventory/BMC`);
  return {
    type: 'Manager.v1_24_0.Manager',
    isVolatile: true,
    read: () => ({
      Id: '1',
      Name: 'Manager',
      Description: 'BMC of the virtual machine',
      ManagerType: 'BMC',
      Manufacturer: VENDOR,
      Model: PRODUCT,
      FirmwareVersion: options.version,
      UUID: options.serviceUuid,
      ServiceEntryPointUUID: options.serviceUuid,
      ServiceIdentification: options.machine.identity().name,
      DateTime: dateTime(options.time()),
      DateTimeLocalOffset: '+00:00',
      LastResetTime: dateTime(startedAt),
      PowerState: 'On',
      Status: { State: 'Enabled', Health: 'OK' },
      NetworkProtocol: link(`${MANAGER}/NetworkProtocol`),
      EthernetInterfaces: link(`${MANAGER}/EthernetInterfaces`),
      LogServices: link(`${MANAGER}/LogServices`),
      ...(options.legacyProperties() ? legacyProperties(context) : {}),
      Links: {
        ManagerForServers: [link(SYSTEM)],
        ManagerForChassis: [link(CHASSIS)],
        ManagerInChassis: link(CHASSIS),
        ActiveSoftwareImage: firmware,
        SoftwareImages: [firmware],
      },
    }),
    actions: [reset(context)],
  };
}

/** Deprecated properties that moved to the System: virtual media and the serial console. */
function legacyProperties({ options }: RedfishContext): JsonObject {
  return { VirtualMedia: link(VIRTUAL_MEDIA), SerialConsole: describeManagerConsole(options) };
}

/** Both reset types shut the process down in order and restart it; the machine is not affected. */
function reset({ options }: RedfishContext): Action {
  return {
    name: 'Manager.Reset',
    rules: {
      kind: 'object',
      properties: { ResetType: { kind: 'word', words: ['ForceRestart', 'GracefulRestart'] } },
    },
    run: (_parameters, { requester }) => {
      options.observer.audited(requester, 'the BMC is restarted');
      options.schedule(() => {
        options.restart();
      }, RESET_DELAY);
      return undefined;
    },
  };
}

/** Network services of the BMC. Missing services are shown as disabled if clients or profiles require them. */
function networkProtocol({ options }: RedfishContext): Resource {
  return {
    type: 'ManagerNetworkProtocol.v1_12_0.ManagerNetworkProtocol',
    patch: {
      rules: { kind: 'object', properties: { IPMI: SWITCH, HTTP: SWITCH } },
      apply: async ({ IPMI, HTTP }, { requester }) => {
        const { ipmiPort, httpPort } = options.network();
        const change = { ...switched('ipmi', IPMI, ipmiPort), ...switched('http', HTTP, httpPort) };
        const changes = Object.entries(change).map(
          ([name, isOn]) => `${SERVICES[name]} is switched ${isOn ? 'on' : 'off'}`,
        );
        if (changes.length === 0) return undefined;
        await options.switchServices(change);
        options.observer.audited(requester, changes.join(', '));
        return undefined;
      },
    },
    read: () => {
      const { hostName, fqdn, httpsPort, httpPort, ipmiPort } = options.network();
      const isSecure = options.certificates().length > 0;
      return {
        Id: 'NetworkProtocol',
        Name: 'Manager Network Protocol',
        HostName: hostName,
        FQDN: fqdn ?? null,
        Status: { State: 'Enabled', Health: 'OK' },
        HTTPS: { ...protocol(isSecure ? httpsPort : undefined), Certificates: link(HTTPS_CERTIFICATES) },
        HTTP: protocol(httpPort),
        IPMI: protocol(ipmiPort),
        SSH: protocol(undefined),
        SSDP: {
          ...protocol(undefined),
          NotifyMulticastIntervalSeconds: null,
          NotifyTTL: null,
          NotifyIPv6Scope: null,
        },
      };
    },
  };
}

/** Ports belong to the Service of the BMC. */
const SWITCH: ObjectRule = { kind: 'object', properties: { ProtocolEnabled: { kind: 'flag' } } };

const SERVICES: Readonly<Record<string, string>> = { ipmi: 'IPMI', http: 'plain HTTP' };

/** The requested state of a service; empty if it is in that state, or none is requested. */
function switched(name: string, change: Json | undefined, port: number | null | undefined): Record<string, boolean> {
  const wanted = isObject(change) ? change['ProtocolEnabled'] : undefined;
  return typeof wanted === 'boolean' && wanted !== (port !== undefined) ? { [name]: wanted } : {};
}

/** @param port undefined: not served; null: served at an unknown port */
function protocol(port: number | null | undefined): JsonObject {
  return { ProtocolEnabled: port !== undefined, Port: port ?? null };
}

/**
 * The BMC's addresses. They belong to a load balancer without MAC address, speed, mask or gateway. Profiles require these
 * properties, so they are null; those of OCP require a gateway of each address.
 */
function ethernetInterface({ options }: RedfishContext): Resource {
  return {
    type: 'EthernetInterface.v1_12_4.EthernetInterface',
    patch: NOTHING_WRITABLE,
    read: () => {
      const { hostName, fqdn, addresses } = options.network();
      return {
        Id: '1',
        Name: 'Manager Ethernet Interface',
        Status: { State: 'Enabled', Health: 'OK' },
        EthernetInterfaceType: 'Virtual',
        InterfaceEnabled: true,
        LinkStatus: 'LinkUp',
        MACAddress: null,
        SpeedMbps: null,
        HostName: hostName,
        FQDN: fqdn ?? null,
        NameServers: [],
        StaticNameServers: [],
        IPv4Addresses: addresses
          .filter((address) => isIPv4(address))
          .map((address) => ({ Address: address, SubnetMask: null, AddressOrigin: null, Gateway: null })),
        IPv6Addresses: addresses
          .filter((address) => isIPv6(address))
          .map((address) => ({ Address: address, PrefixLength: null, AddressOrigin: null, AddressState: null })),
      };
    },
  };
}

/**
 * For resources on which clients and profiles expect PATCH: each property is answered with `PropertyNotWritable`, which says more
 * than 405. The network configuration belongs to the platform.
 */
const NOTHING_WRITABLE: Patch = {
  rules: { kind: 'object', properties: {} },
  apply: () => Promise.resolve(undefined),
};
