/** A structural OpenAPI v3 schema, as a CustomResourceDefinition has it. */
export type Schema = Record<string, unknown>;

/** Fields that are not described are kept as they are: the stand-in describes what Groundcrew and its users look at. */
function object(description: string, properties: Record<string, Schema> = {}, required: string[] = []): Schema {
  const open = { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...open,
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

const BOOT_ORDER = whole(
  'BootOrder is an integer value > 0, used to determine ordering of boot devices. Lower values take precedence. ' +
    'Each disk or interface that has a boot order must have a unique value. Interfaces without a boot order are not tried.',
);

const BUS = object('How the device is attached.', {
  bus: text('Bus indicates the type of disk device to emulate: virtio, sata, scsi, usb.'),
});

const DISK = object(
  'A device that is backed by the volume of the same name.',
  {
    name: text('Name is the device name, and that of its volume.'),
    bootOrder: BOOT_ORDER,
    disk: { ...BUS, description: 'Attach a volume as a disk to the vmi.' },
    cdrom: { ...BUS, description: 'Attach a volume as a cdrom to the vmi.' },
    lun: { ...BUS, description: 'Attach a volume as a LUN to the vmi.' },
    serial: text('Serial provides the ability to specify a serial number for the disk device.'),
  },
  ['name'],
);

const INTERFACE = object(
  'A network interface, connected to the network of the same name.',
  {
    name: text('Logical name of the interface as well as a reference to the associated networks.'),
    bootOrder: BOOT_ORDER,
    macAddress: text('Interface MAC address. For example: de:ad:00:00:be:af or DE-AD-00-00-BE-AF.'),
    model: text('Interface model. One of: e1000, e1000e, igb, ne2k_pci, pcnet, rtl8139, virtio.'),
    state: text('State represents the requested operational state of the interface: up, down or absent.'),
    masquerade: object('Connect to the pod network by network address translation.'),
    bridge: object('Connect to a given network via a linux bridge.'),
    sriov: object('Connect to a given network by passing-through an SR-IOV PCI device via vfio.'),
    binding: object('The network binding plugin to use.', { name: text('Name of the plugin.') }),
  },
  ['name'],
);

const FIRMWARE = object('Firmware.', {
  uuid: text('UUID reported by the vmi bios. Made up when the VM is created, unless it is given.'),
  serial: text('The system-serial-number in SMBIOS. Made up when the VM is created, unless it is given.'),
  bootloader: object('Settings to control the bootloader that is used.', {
    bios: object('If set (default), BIOS will be used.', {
      useSerial: flag('If set, the BIOS output will be transmitted over serial.'),
    }),
    efi: object('If set, EFI will be used instead of BIOS.', {
      secureBoot: flag(
        'If set, SecureBoot will be enabled and the OVMF roms will be swapped. Requires SMM. Default true.',
      ),
      persistent: flag('If set to true, Persistent will persist the EFI NVRAM across reboots. Default false.'),
    }),
  }),
});

const DOMAIN = object('Specification of the desired behavior of the VirtualMachineInstance on the host.', {
  devices: object('Devices allows adding disks, network interfaces, and others.', {
    disks: list('Disks describes disks, cdroms and luns which are connected to the vmi.', DISK),
    interfaces: list('Interfaces describe network interfaces which are added to the vmi.', INTERFACE),
    autoattachGraphicsDevice: flag('Whether to attach the default graphics device or not. Default true.'),
    autoattachSerialConsole: flag('Whether to attach the default virtio-serial console or not. Default true.'),
  }),
  cpu: object('CPU allow specified the detailed CPU topology inside the vmi.', {
    cores: whole('Cores specifies the number of cores inside the vmi.'),
    sockets: whole('Sockets specifies the number of sockets inside the vmi.'),
    threads: whole('Threads specifies the number of threads inside the vmi.'),
  }),
  memory: object('Memory allow specifying the VMI memory features.', {
    guest: quantity('Guest allows to specifying the amount of memory which is visible inside the Guest OS.'),
  }),
  features: object('Features like acpi, apic, hyperv, smm.', {
    acpi: object('ACPI enables/disables ACPI inside the guest.', { enabled: flag('Enabled. Default true.') }),
    smm: object('SMM enables/disables System Management Mode.', { enabled: flag('Enabled. Default true.') }),
  }),
  firmware: FIRMWARE,
});

const VOLUME = object(
  'A source of data: exactly one of its kinds.',
  {
    name: text("Volume's name, which a disk refers to."),
    containerDisk: object('A disk in a container image.', { image: text('Image is the name of the image.') }),
    persistentVolumeClaim: object('A claim in the same namespace.', {
      claimName: text('Name of the claim.'),
      hotpluggable: flag('Hotpluggable indicates whether the volume can be hotplugged and hotunplugged.'),
    }),
    dataVolume: object('A DataVolume in the same namespace.', {
      name: text('Name of the DataVolume.'),
      hotpluggable: flag('Hotpluggable indicates whether the volume can be hotplugged and hotunplugged.'),
    }),
    cloudInitNoCloud: object('A cloud-init NoCloud user-data source.'),
  },
  ['name'],
);

const NETWORK = object(
  'A network that an interface can be connected to.',
  {
    name: text('Network name, which an interface refers to.'),
    pod: object('The pod network.'),
    multus: object('A network of a NetworkAttachmentDefinition.', {
      networkName: text('References to a NetworkAttachmentDefinition: <networkName>, <namespace>/<networkName>.'),
      default: flag('Select the default network and add it to the multus-cni.io/default-network annotation.'),
    }),
  },
  ['name'],
);

export const INSTANCE_SPEC = object(
  'VirtualMachineInstance Spec contains the VirtualMachineInstance specification.',
  {
    domain: DOMAIN,
    networks: list('List of networks that can be attached to the virtual interface of a vm.', NETWORK),
    volumes: list('List of volumes that can be mounted by disks belonging to the vmi.', VOLUME),
    terminationGracePeriodSeconds: long(
      'Grace period observed after signalling a VirtualMachineInstance to stop after which it is force terminated. Default 30.',
    ),
    startStrategy: text('StartStrategy can be set to "Paused" if Virtual Machine should be started in paused state.'),
    hostname: text('Specifies the hostname of the vmi.'),
    nodeSelector: texts('NodeSelector is a selector which must be true for the vmi to fit on a node.'),
  },
  ['domain'],
);

const CONDITION = object(
  'One thing that is so, or is not.',
  {
    type: text('What it is about.'),
    status: text('True, False or Unknown.'),
    reason: text('Why, in one word.'),
    message: text('Why, for people.'),
    lastProbeTime: time('When it was looked at last.'),
    lastTransitionTime: time('When the status changed last.'),
  },
  ['type', 'status'],
);

export const VIRTUAL_MACHINE_SPEC = object(
  'Spec contains the specification of VirtualMachineInstance created.',
  {
    runStrategy: text('Running state indicates the requested running state of the VirtualMachineInstance.'),
    running: flag(
      'Running controls whether the associated VirtualMachineInstance is created or not. Deprecated: use runStrategy.',
    ),
    template: object('Template is the direct specification of VirtualMachineInstance.', {
      metadata: {
        ...object('Labels and annotations of the instance.'),
        nullable: true,
      },
      spec: INSTANCE_SPEC,
    }),
    dataVolumeTemplates: list(
      'DataVolumes that the VM brings along; its volumes refer to them.',
      object('A DataVolume.'),
    ),
  },
  ['template'],
);

export const VIRTUAL_MACHINE_STATUS = object('Status holds the current state of the controller and of the VM.', {
  printableStatus: text(
    'PrintableStatus is a human readable, high-level representation of the status of the virtual machine.',
  ),
  created: flag('Created indicates if the virtual machine is created in the cluster.'),
  ready: flag('Ready indicates if the virtual machine is running and ready.'),
  runStrategy: text('RunStrategy tracks the last recorded RunStrategy used by the VM.'),
  observedGeneration: long('ObservedGeneration is the generation observed by the vmi when started.'),
  desiredGeneration: long('DesiredGeneration is the generation which is desired for the VMI.'),
  conditions: list('Hold the state information of the VirtualMachine and its VirtualMachineInstance.', CONDITION),
  stateChangeRequests: list(
    'StateChangeRequests indicates a list of actions that should be taken on a VMI.',
    object(
      'An action that was asked for.',
      {
        action: text('Start or Stop.'),
        uid: text('The instance that is to be stopped.'),
        data: texts('Provides additional data in order to perform the Action.'),
      },
      ['action'],
    ),
  ),
  startFailure: object('Tracks consecutive VMI startup failures for the purposes of crash loop backoffs.', {
    consecutiveFailCount: whole('How often it failed.'),
    lastFailedVMIUID: text('The instance that failed last.'),
    retryAfterTimestamp: time('When it is tried again.'),
  }),
});

export const INSTANCE_STATUS = object('Status is the high level overview of how the VirtualMachineInstance is doing.', {
  phase: text('Phase is the status of the VirtualMachineInstance in kubernetes world.'),
  reason: text('A brief CamelCase message indicating details about why the VMI is in this state.'),
  nodeName: text('NodeName is the name where the VirtualMachineInstance is currently running.'),
  conditions: list('Conditions are specific points in the pod runtime of the VirtualMachineInstance.', CONDITION),
  interfaces: list(
    'Interfaces represent the details of available network interfaces.',
    object('An interface as it is on the node.', {
      name: text('Name of the interface, corresponds to name of the network assigned to the interface.'),
      mac: text('Hardware address of a Virtual Machine interface.'),
      ipAddress: text('IP address of a Virtual Machine interface.'),
      linkState: text('LinkState Reports the current operational link state.'),
    }),
  ),
  activePods: texts('ActivePods is a mapping of pod UID to node name.'),
});

export const MIGRATION_SPEC = object('Spec of a migration.', {
  vmiName: text('The name of the VMI to perform the migration on. VMI must exist in the migration objects namespace.'),
});

export const MIGRATION_STATUS = object('Status of a migration.', {
  phase: text(
    'VirtualMachineInstanceMigrationPhase is a label for the condition of a VirtualMachineInstanceMigration.',
  ),
  migrationState: object('Represents the status of a live migration.'),
});
