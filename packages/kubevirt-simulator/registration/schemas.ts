import { OPEN, type Schema } from '../kubevirt/definition.ts';

/*
 * What `kubectl explain` shows of KubeVirt's kinds: the fields that Groundcrew and its users look at. Fields that are
 * not described are kept.
 */

function object(description: string, properties: Record<string, Schema> = {}, required: string[] = []): Schema {
  return {
    ...OPEN,
    description,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

const list = (description: string, items: Schema): Schema => ({ type: 'array', description, items });
const text = (description: string): Schema => ({ type: 'string', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const whole = (description: string): Schema => ({ type: 'integer', description });
const long = (description: string): Schema => ({ type: 'integer', format: 'int64', description });
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', nullable: true, description });
const quantity = (description: string): Schema => ({ 'x-kubernetes-int-or-string': true, description });
const texts = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

const BOOT_ORDER = whole('Place among the boot devices, from 1; each value once. Devices without one are not tried.');
const BUS = object('How the device is attached.', { bus: text('virtio, sata, scsi or usb.') });

const DISK = object(
  'A device for the volume of the same name.',
  {
    name: text('Name of the device and of its volume.'),
    bootOrder: BOOT_ORDER,
    disk: { ...BUS, description: 'Attach the volume as a disk.' },
    cdrom: { ...BUS, description: 'Attach the volume as a CD-ROM.' },
    lun: { ...BUS, description: 'Attach the volume as a LUN.' },
    serial: text('Serial number of the device.'),
  },
  ['name'],
);

const INTERFACE = object(
  'A network interface, connected to the network of the same name.',
  {
    name: text('Name of the interface and of its network.'),
    bootOrder: BOOT_ORDER,
    macAddress: text('MAC address, for example de:ad:00:00:be:af.'),
    model: text('One of e1000, e1000e, igb, ne2k_pci, pcnet, rtl8139, virtio.'),
    state: text('Requested state of the interface: up, down or absent.'),
    masquerade: object('Connect to the pod network by network address translation.'),
    bridge: object('Connect by a Linux bridge.'),
    sriov: object('Connect by passing through an SR-IOV device.'),
    binding: object('The network binding plugin.', { name: text('Name of the plugin.') }),
  },
  ['name'],
);

const FIRMWARE = object('Firmware.', {
  uuid: text('UUID of the machine. Default: a random one.'),
  serial: text('Serial number of the system. Default: a random one.'),
  bootloader: object('The boot loader.', {
    bios: object('BIOS, the default.', { useSerial: flag('Write BIOS output to the serial port.') }),
    efi: object('EFI.', {
      secureBoot: flag('Secure boot; requires SMM. Default true.'),
      persistent: flag('Keep the EFI variables across reboots. Default false.'),
    }),
  }),
});

const DOMAIN = object('The virtual machine.', {
  devices: object('Disks, interfaces and other devices.', {
    disks: list('Disks, CD-ROMs and LUNs.', DISK),
    interfaces: list('Network interfaces.', INTERFACE),
    autoattachGraphicsDevice: flag('Attach the default graphics device. Default true.'),
    autoattachSerialConsole: flag('Attach the default serial console. Default true.'),
  }),
  cpu: object('CPU topology.', {
    cores: whole('Cores of each socket.'),
    sockets: whole('Sockets.'),
    threads: whole('Threads of each core.'),
  }),
  memory: object('Memory.', { guest: quantity('Memory that the guest sees.') }),
  features: object('Features.', {
    acpi: object('ACPI.', { enabled: flag('Default true.') }),
    smm: object('System management mode.', { enabled: flag('Default true.') }),
  }),
  firmware: FIRMWARE,
});

const HOTPLUGGABLE = flag('The volume may come and go while the guest runs.');
const VOLUME = object(
  'A source of data: exactly one of its kinds.',
  {
    name: text('Name of the volume, which a disk refers to.'),
    containerDisk: object('A disk in a container image.', { image: text('Name of the image.') }),
    persistentVolumeClaim: object('A claim.', { claimName: text('Name of the claim.'), hotpluggable: HOTPLUGGABLE }),
    dataVolume: object('A DataVolume.', { name: text('Name of the DataVolume.'), hotpluggable: HOTPLUGGABLE }),
    cloudInitNoCloud: object('A cloud-init NoCloud source.'),
  },
  ['name'],
);

const NETWORK = object(
  'A network.',
  {
    name: text('Name of the network, which an interface refers to.'),
    pod: object('The pod network.'),
    multus: object('A network of a NetworkAttachmentDefinition.', {
      networkName: text('<name> or <namespace>/<name> of the NetworkAttachmentDefinition.'),
      default: flag('Use it in place of the pod network.'),
    }),
  },
  ['name'],
);

export const INSTANCE_SPEC = object(
  'Specification of the instance.',
  {
    domain: DOMAIN,
    networks: list('Networks.', NETWORK),
    volumes: list('Volumes.', VOLUME),
    terminationGracePeriodSeconds: long('Seconds until a guest that is told to stop is forced off. Default 30.'),
    startStrategy: text('Paused: start the guest paused.'),
    hostname: text('Host name of the guest.'),
    nodeSelector: texts('Labels that the node must have.'),
  },
  ['domain'],
);

const CONDITION = object(
  'A condition.',
  {
    type: text('Type of the condition.'),
    status: text('True, False or Unknown.'),
    reason: text('Reason in one word.'),
    message: text('Reason for people.'),
    lastProbeTime: time('Time of the last probe.'),
    lastTransitionTime: time('Time of the last change of the status.'),
  },
  ['type', 'status'],
);

export const VIRTUAL_MACHINE_SPEC = object(
  'Specification of the virtual machine.',
  {
    runStrategy: text('Always, Halted, Manual, RerunOnFailure or Once.'),
    running: flag('Deprecated: use runStrategy.'),
    template: object('Template of the instance.', {
      metadata: { ...object('Labels and annotations of the instance.'), nullable: true },
      spec: INSTANCE_SPEC,
    }),
    dataVolumeTemplates: list('DataVolumes that are created with the VM.', object('A DataVolume.')),
  },
  ['template'],
);

const STATE_CHANGE_REQUEST = object(
  'A requested action.',
  { action: text('Start or Stop.'), uid: text('The instance to stop.'), data: texts('Options of the action.') },
  ['action'],
);

export const VIRTUAL_MACHINE_STATUS = object('Status of the virtual machine.', {
  printableStatus: text('Status in one word.'),
  created: flag('An instance exists.'),
  ready: flag('The instance is ready.'),
  runStrategy: text('The run strategy that was used last.'),
  observedGeneration: long('The generation that the instance was started with.'),
  desiredGeneration: long('The generation that is desired for the instance.'),
  conditions: list('Conditions of the VM and of its instance.', CONDITION),
  stateChangeRequests: list('Queue of requested actions.', STATE_CHANGE_REQUEST),
  startFailure: object('Failed starts in a row.', {
    consecutiveFailCount: whole('Number of failures.'),
    lastFailedVMIUID: text('The instance that failed last.'),
    retryAfterTimestamp: time('Time of the next attempt.'),
  }),
});

export const INSTANCE_STATUS = object('Status of the instance.', {
  phase: text('Phase.'),
  reason: text('Reason of the phase in one word.'),
  nodeName: text('The node that the instance runs on.'),
  conditions: list('Conditions.', CONDITION),
  interfaces: list(
    'Interfaces as they are on the node.',
    object('An interface.', {
      name: text('Name of the interface.'),
      mac: text('MAC address.'),
      ipAddress: text('IP address.'),
      linkState: text('State of the link.'),
    }),
  ),
  activePods: texts('Nodes by the UID of the pod.'),
});

export const MIGRATION_SPEC = object('Specification of the migration.', { vmiName: text('Name of the instance.') });
export const MIGRATION_STATUS = object('Status of the migration.', {
  phase: text('Phase.'),
  migrationState: object('Progress of the migration.'),
});
