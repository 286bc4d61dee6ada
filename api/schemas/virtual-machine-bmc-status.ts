import { z } from 'zod';
import { FIRMWARE_MODES } from '../kubevirt/firmware.ts';
import { POWER_STATES } from '../kubevirt/power-state.ts';
import { conditions, count, dateTime, flag, integer, text, word } from './fields.ts';
import * as pod from './scheduling.ts';

const bootOrders = (description: string) =>
  z.record(z.string(), integer(0, 65_535, '0: none.')).meta({ description, maxProperties: 512 });

const bootOverride = z
  .object({
    mode: z
      .enum(['Oneshot', 'Persistent'])
      .meta({ description: 'Oneshot: for the next boot. Persistent: until it is cleared.' }),
    target: z
      .enum(['Pxe', 'Hdd', 'Cd', 'UefiHttp', 'BiosSetup'])
      .meta({
        description: "Boot device. BiosSetup: the firmware's boot menu, then the normal boot.",
      })
      .optional(),
    uri: text(2048, 'For UefiHttp: the boot file; absent: that of the network.').optional(),
    instance: integer(
      1,
      255,
      'Number of the device among those of its kind, from 1 in the order of the VM; absent: not chosen.',
    ).optional(),
    usb: integer(0, 255, 'Number among USB disks, if one was requested; 0: not chosen. target is Hdd.').optional(),
    firmware: z.enum(FIRMWARE_MODES).meta({ description: 'Requested firmware.' }).optional(),
    expires: dateTime(
      'Time at which the override is removed unless a boot was requested; absent: a boot was requested, or there is no limit.',
    ).optional(),
    savedIn: z
      .enum(['VirtualMachine'])
      .meta({
        description:
          'VirtualMachine: a copy of the annotation bmc.kubevirt.io/boot-override of the VM, from which the override is undone. Absent: an earlier version saved it only here.',
      })
      .optional(),
    vmUID: text(64, 'UID of the VM of the override.').optional(),
    vmiUID: text(64, 'UID of the running VMI when the override was set; empty: none.').optional(),
    bootOrders: bootOrders(
      'Boot orders before the override, by device (disk:NAME, cdrom:NAME, interface:NAME); 0: none.',
    ).optional(),
    overrideOrders: bootOrders('Boot orders during the override, by device.').optional(),
    addedDevices: z
      .array(text(253, 'disk:NAME or interface:NAME.'))
      .max(512)
      .meta({
        description:
          'Devices that the override added to the VM because KubeVirt adds them to each VMI and a boot order needs an entry; they ' +
          'are removed with the override.',
      })
      .optional(),
    originalFirmware: z
      .enum(FIRMWARE_MODES)
      .meta({ description: 'Firmware before the override, if that changed it.' })
      .optional(),
    originalBootloader: z
      .object({
        bios: z
          .object({ useSerial: flag('BIOS messages on the serial console.').optional() })
          .meta({ description: 'Boots with BIOS.' })
          .optional(),
        efi: z
          .object({
            secureBoot: flag('Secure Boot.').optional(),
            persistent: flag('Persistent variables.').optional(),
          })
          .meta({ description: 'Boots with UEFI.' })
          .optional(),
      })
      .meta({ description: "The VM's boot loader before the override; absent: none." })
      .optional(),
    originalStartStrategy: z
      .enum(['None', 'Paused'])
      .meta({ description: "For BiosSetup: the VM's startStrategy before the override; None: absent." })
      .optional(),
  })
  .meta({ description: 'The boot override, with the data to restore the VM.' });

const firmwareSetup = z
  .object({
    vmiUID: text(64, 'UID of the VMI.'),
    pausedSince: dateTime(
      'Start of the pause that will be ended, so that no later pause is ended; absent: it was ended.',
    ).optional(),
  })
  .meta({ description: "The last VMI that was started paused for its firmware's boot menu and then unpaused." });

const insertedMedia = z
  .object({
    slot: word(63, 'Drive of the BMC: Cd or Usb.'),
    image: text(2048, 'URL of the image, without credentials; a query is masked, since it may hold a key.').optional(),
    inserted: flag('Whether the guest can read the image, now or after its next boot.').optional(),
    phase: z
      .enum(['Preparing', 'Importing', 'Waiting', 'Inserted', 'Failing', 'Failed', 'Ejecting', 'Ejected'])
      .meta({
        description:
          'State of the insertion. Waiting: the image is imported and inserted at the next boot. Failing and Ejecting: it is being removed.',
      })
      .optional(),
    progress: text(16, 'As 42.0%; 100.0%: the guest has it, or gets it at power-on.').optional(),
    message: text(2048, 'The state in a sentence.').optional(),
    id: word(63, 'Unique name of the insertion in this BMC.').optional(),
    detached: flag('The client requested the image without insertion into the guest.').optional(),
    userName: text(255, 'User name for the image server.').optional(),
    startedAt: dateTime('Time of the request.').optional(),
    endedAt: dateTime('Time at which the import succeeded or failed.').optional(),
    size: text(32, 'Size of the volume.').optional(),
    vmUID: text(64, 'UID of the VM.').optional(),
    volume: text(253, 'DataVolume of the image, or of the previous one.').optional(),
    drive: text(63, 'CD-ROM drive or USB disk of the VM.').optional(),
    driveAdded: flag('The drive was added, since the VM had none; it is removed with the image.').optional(),
    hotpluggable: flag('The image can be inserted and ejected while the guest runs.').optional(),
    originalVolume: text(
      16_384,
      "The owner's volume in the drive, as JSON; restored when the image is ejected or the BMC deleted.",
    ).optional(),
  })
  .meta({ description: 'A drive and its image.' });

const networkInterface = z
  .object({
    name: text(
      63,
      'Interface of the VM when its lease was made; its MAC address if the name was not known, or another interface has it.',
    ),
    macAddress: text(17, 'MAC address of the interface.').optional(),
    ipAddress: text(15, 'Leased address.').optional(),
    prefixLength: integer(0, 32, 'Length of the network prefix.').optional(),
    gateway: text(15, 'Default gateway.').optional(),
    nameServers: z.array(text(15, 'Address of a server.')).max(3).meta({ description: 'DNS servers.' }).optional(),
    vlan: integer(1, 4094, 'VLAN of the network.').optional(),
  })
  .meta({ description: "An interface on an IPPool's network." });

const networkInterfaces = z
  .array(networkInterface)
  .max(64)
  .meta({
    description: "The VM's interfaces on networks of IPPools, as DHCP configures them; Redfish shows them.",
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  });

export const virtualMachineBMCStatus = z
  .object({
    phase: z
      .enum(['Pending', 'Provisioning', 'Ready', 'Degraded', 'Failed'])
      .meta({ description: 'The state in one word.' })
      .optional(),
    observedGeneration: pod.observedGeneration.optional(),
    clusterIP: text(64, 'Address of the Service in the cluster.').optional(),
    loadBalancerIP: text(253, 'Address of the load balancer.').optional(),
    powerState: z.enum(POWER_STATES).meta({ description: 'Power state of the VM.' }).optional(),
    endpoints: z
      .object({
        ipmi: text(320, 'Address and port of IPMI, for ipmitool -H and -p.').optional(),
        redfish: text(512, 'URL of Redfish.').optional(),
      })
      .meta({ description: 'Addresses of the BMC.' })
      .optional(),
    bootOverride: bootOverride.optional(),
    firmwareSetup: firmwareSetup.optional(),
    virtualMedia: z
      .array(insertedMedia)
      .max(16)
      .meta({
        description: 'Drives and their images.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['slot'],
      })
      .optional(),
    networkInterfaces: networkInterfaces.optional(),
    clientCertificateExpiresAt: dateTime('End of the HTTPS certificate that a Redfish client has set.').optional(),
    agent: z
      .object({
        name: text(253, 'Pod of the active agent, or name of the shared agent.').optional(),
        image: text(1024, 'Image of the agent.').optional(),
        observedGeneration: count('Generation of the BMC that the agent serves.').optional(),
        problem: text(2048, 'Why a shared agent does not serve the BMC; absent: it does.').optional(),
      })
      .meta({ description: 'The agent of the BMC.' })
      .optional(),
    conditions: conditions.optional(),
  })
  .meta({ description: 'The observed BMC.' });
