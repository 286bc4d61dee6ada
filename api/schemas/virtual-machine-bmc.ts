import { z } from 'zod';
import { FIRMWARE_MODES } from '../kubevirt/firmware.ts';
import { POWER_STATES } from '../kubevirt/power-state.ts';
import {
  conditions,
  count,
  dateTime,
  flag,
  integer,
  localReference,
  port,
  rules,
  stringMap,
  text,
  word,
} from './fields.ts';
import * as pod from './scheduling.ts';

/** Of what is accepted and kept, so that a manifest for another version applies, and has no effect. */
function notServed(description: string): string {
  return `${description} Not served by this version.`;
}

const service = z
  .object({
    type: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
      .default('ClusterIP')
      .meta({ description: 'How far the BMC can be reached. Default: ClusterIP.' }),
    labels: stringMap(64, 63, 'Labels to add to the Service.').optional(),
    annotations: stringMap(64, 16_384, 'Annotations to add to the Service.').optional(),
    loadBalancerClass: word(317, 'Which load balancer serves it; only of type LoadBalancer.').optional(),
    ipFamilyPolicy: z
      .enum(['SingleStack', 'PreferDualStack', 'RequireDualStack'])
      .meta({ description: 'IP families of the Service. Default: those of the cluster.' })
      .optional(),
    externalTrafficPolicy: z
      .enum(['Cluster', 'Local'])
      .meta({
        description: 'Local keeps the address of the client; of types NodePort and LoadBalancer. Default: Cluster.',
      })
      .optional(),
    nodePorts: z
      .object({
        ipmi: integer(0, 65_535, 'UDP port of IPMI on every node; 0: one is chosen.').optional(),
        redfish: integer(0, 65_535, 'TCP port of Redfish on every node; 0: one is chosen.').optional(),
      })
      .meta({ description: 'Fixed node ports, of types NodePort and LoadBalancer.' })
      .optional(),
  })
  .meta({ description: 'The Service <vm>-virtbmc, through which the BMC is reached.' });

const ipmi = z
  .object({
    enabled: flag(
      "Answer IPMI on port 623/UDP. Default: what the installation says (the chart's bmc.defaults.ipmi, true).",
    ).optional(),
    cipherSuites: z
      .array(z.union([z.literal(17), z.literal(3)]))
      .min(1)
      .max(2)
      .default([17, 3])
      .meta({
        description:
          'Cipher suites that are offered, best first: 17 (HMAC-SHA256, AES-CBC-128), 3 (HMAC-SHA1, AES-CBC-128). Default: 17, 3.',
        'x-kubernetes-list-type': 'set',
      }),
    serialOverLan: flag(
      "Serve the machine's serial console over LAN, to one client at a time (ipmitool sol activate). Default: true.",
    ).default(true),
    ipmi15: flag(
      'Also accept sessions of IPMI 1.5 (ipmitool -I lan), authenticated with MD5. They encrypt nothing, so whoever sees ' +
        'the network reads along. Default: false.',
    ).default(false),
    advertisedPort: port(
      'UDP port by which clients reach the BMC, as Serial over LAN names it to them: clients refuse a console on another port ' +
        'than the one that they have dialled. Default: the port of status.endpoints.ipmi.',
    ).optional(),
    hideUserNames: flag(
      'Let a log-in of an unknown user fail as late as one with a wrong password, so that nobody can find out names. ' +
        'Default: false, and clients tell people which of both is wrong.',
    ).default(false),
    lockout: z
      .object({
        threshold: integer(
          0,
          1000,
          'Wrong passwords of a user from an address until the user is locked out there; 0: never. Default: 5.',
        ).default(5),
        seconds: integer(1, 86_400, 'How long the user is locked out. Default: 60.').default(60),
      })
      .meta({ description: 'What wrong passwords lead to.' })
      .optional(),
  })
  .meta({ description: 'The IPMI side of the BMC.' });

/** Labels separated by dots. The last one has a letter: `192.0.2.999` is no name. */
const HOST_NAME = '([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?[.])*[A-Za-z0-9_-]*[A-Za-z_][A-Za-z0-9_-]*[.]?';
const COLON_PORT = ':([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

/** The host of a URL, with or without its port; IPv6 addresses also without brackets. */
function hosts(description: string) {
  const host = z
    .string()
    .min(1)
    .max(253)
    .meta(
      rules({
        rule:
          `isIP(self) || self.matches('^${HOST_NAME}(${COLON_PORT})?$') || ` +
          `(self.matches('^[0-9.]+${COLON_PORT}$') && isIP(self.substring(0, self.indexOf(':')))) || ` +
          `(self.matches('^[[][0-9A-Fa-f:.]+[]](${COLON_PORT})?$') && isIP(self.substring(1, self.indexOf(']'))))`,
        message:
          'must be a host name or an IP address, with or without a port: images.example, 192.0.2.7:8080, [2001:db8::7]:8080',
      }),
    );
  return z.array(host).max(64).meta({ description });
}

const caBundleConfigMapRef = localReference(
  'ConfigMap of the same namespace whose key ca.pem holds the certificates to trust.',
  'Name of the ConfigMap.',
);

const virtualMedia = z
  .object({
    storage: z
      .object({
        storageClassName: word(253, "Storage class of the images. Default: the cluster's.").optional(),
        volumeMode: z.enum(['Filesystem', 'Block']).meta({ description: "Default: the storage profile's." }).optional(),
      })
      .meta({ description: 'Where inserted images are kept.' })
      .optional(),
    tls: z
      .object({
        insecureSkipVerify: flag("Do not verify the image server's certificate. Default: false.").optional(),
        caBundleConfigMapRef: caBundleConfigMapRef.optional(),
      })
      .meta({ description: 'How image servers are verified.' })
      .optional(),
    allowedHosts: hosts(
      'Hosts that images may come from, by name or IP address, with or without a port; absent or empty: any but those of loopback, link-local, multicast and unspecified ' +
        'addresses, which images come from where the address itself stands in the list alone.',
    ).optional(),
  })
  .meta({ description: 'CD images that clients insert.' });

const events = z
  .object({
    tls: z
      .object({ caBundleConfigMapRef: caBundleConfigMapRef.optional() })
      .meta({ description: 'How listeners are verified.' })
      .optional(),
    allowedHosts: hosts(
      'Hosts that events may be sent to, by name or IP address, with or without a port; absent or empty: any but those of loopback, link-local, multicast and unspecified ' +
        'addresses, which are sent to where the address itself stands in the list alone.',
    ).optional(),
  })
  .meta({ description: 'Events that clients subscribe to.' });

const redfish = z
  .object({
    tls: z
      .object({
        secretRef: localReference(
          'Secret of the same namespace, of type kubernetes.io/tls, with the certificate and its key, which are copied to Secret ' +
            '<name>-tls. While it is not fit for use, the certificate that was shown before stays. Absent: the CA of the ' +
            'installation issues one.',
          'Name of the Secret.',
        ).optional(),
        dnsNames: z
          .array(
            z
              .string()
              .min(1)
              .max(253)
              .regex(/^[A-Za-z0-9*._:-]+$/),
          )
          .max(32)
          .meta({ description: 'Further DNS names and addresses in the certificate that is issued.' })
          .optional(),
      })
      .meta({ description: 'Certificate of HTTPS.' })
      .optional(),
    http: z
      .object({
        enabled: flag(
          'Also answer plain HTTP on port 80, where whoever sees the network reads passwords. Default: what the installation says ' +
            "(the chart's bmc.defaults.redfishHttp, false).",
        ).optional(),
      })
      .meta({ description: 'Redfish without encryption.' })
      .optional(),
    legacyProperties: flag('Show deprecated properties that older clients read. Default: true.').default(true),
    virtualMedia: virtualMedia.optional(),
    events: events.optional(),
  })
  .meta({ description: 'The Redfish side of the BMC.' });

const agent = z
  .object({
    image: word(1024, 'Image of the agent.').optional(),
    imagePullPolicy: z
      .enum(['Always', 'IfNotPresent', 'Never'])
      .meta({ description: 'When the image is pulled.' })
      .optional(),
    imagePullSecrets: pod.imagePullSecrets.optional(),
    resources: pod.resources.optional(),
    nodeSelector: pod.nodeSelector.optional(),
    tolerations: pod.tolerations.optional(),
    affinity: pod.affinity.optional(),
    priorityClassName: pod.priorityClassName.optional(),
  })
  .meta({ description: "The agent that serves the BMC; what is set here goes before the installation's defaults." });

export const virtualMachineBMCSpec = z
  .object({
    virtualMachineRef: localReference(
      'The VirtualMachine of the same namespace that the BMC is of. One BMC serves a VM: the oldest.',
      'Name of the VirtualMachine.',
    ),
    authSecretRef: localReference(
      'Secret of the same namespace with the keys username and password (and kg, the key of two-key logins). ' +
        'It is only read. Absent: <name>-credentials is made with a random password.',
      'Name of the Secret.',
    ).optional(),
    service: service.optional(),
    ipmi: ipmi.optional(),
    redfish: redfish.optional(),
    placement: z
      .enum(['Dedicated', 'Shared'])
      .default('Dedicated')
      .meta({
        description: notServed(
          'Dedicated: a pod of its own. Default: Dedicated. Shared: a pod with other BMCs of the namespace.',
        ),
      }),
    agent: agent.optional(),
  })
  .meta({ description: 'The BMC that is wanted.' });

const bootOrders = (description: string) =>
  z.record(z.string(), integer(0, 65_535, '0: the device has none.')).meta({ description, maxProperties: 512 });

const bootOverride = z
  .object({
    mode: z
      .enum(['Oneshot', 'Persistent'])
      .meta({ description: 'Oneshot: for the next boot. Persistent: until it is cleared.' }),
    target: z
      .enum(['Pxe', 'Hdd', 'Cd', 'UefiHttp', 'BiosSetup'])
      .meta({
        description:
          "What the VM is to boot from. BiosSetup: from what it boots anyway, after its firmware's boot menu.",
      })
      .optional(),
    uri: text(2048, 'Of UefiHttp: what it boots; absent: what the network offers.').optional(),
    instance: integer(
      1,
      255,
      'Which of the devices of that kind is first, counted from 1 as they stand in the VM; absent: none was chosen.',
    ).optional(),
    firmware: z.enum(FIRMWARE_MODES).meta({ description: 'Firmware that was asked for.' }).optional(),
    expires: dateTime(
      'When it is undone unless somebody has asked for a boot; absent: somebody has, or it waits for the boot however long.',
    ).optional(),
    vmUID: text(64, 'UID of the VM that the override was made on.').optional(),
    vmiUID: text(64, 'UID of the VMI that ran then; empty: none did.').optional(),
    bootOrders: bootOrders(
      'Boot orders before the override, by device (disk:NAME, cdrom:NAME, interface:NAME); 0: it had none.',
    ).optional(),
    overrideOrders: bootOrders('Boot orders that the override writes, likewise.').optional(),
    addedDevices: z
      .array(text(253, 'disk:NAME or interface:NAME.'))
      .max(512)
      .meta({
        description:
          'Devices that KubeVirt adds to each VMI, and the override to the VM, since a boot order has to stand at one; they are ' +
          'removed again.',
      })
      .optional(),
    originalFirmware: z
      .enum(FIRMWARE_MODES)
      .meta({ description: 'Firmware before the override, where it was changed.' })
      .optional(),
    originalBootloader: z
      .object({
        bios: z
          .object({ useSerial: flag('BIOS messages on the serial console.').optional() })
          .meta({ description: 'Boots with BIOS.' })
          .optional(),
        efi: z
          .object({
            secureBoot: flag('Boots signed systems alone.').optional(),
            persistent: flag('Keeps its variables.').optional(),
          })
          .meta({ description: 'Boots with UEFI.' })
          .optional(),
      })
      .meta({ description: "The VM's boot loader before the override; absent: it had none." })
      .optional(),
    originalStartStrategy: z
      .enum(['None', 'Paused'])
      .meta({ description: "Of BiosSetup: the VM's startStrategy before the override; None: it had none." })
      .optional(),
  })
  .meta({ description: 'A boot override in force, with what it takes to undo it.' });

const firmwareSetup = z
  .object({
    vmiUID: text(64, 'UID of the VMI.'),
    pausedSince: dateTime(
      'While that is about to be done: when it was paused, so that no later pause is ended; absent: it has been done.',
    ).optional(),
  })
  .meta({ description: "The last VMI that was started paused for its firmware's boot menu, and let go on for that." });

const insertedMedia = z
  .object({
    slot: word(63, 'Drive of the BMC: Cd.'),
    image: text(2048, 'Where the image came from, without credentials.').optional(),
    inserted: flag('Whether the guest can read it, or will from its next boot on.').optional(),
    phase: z
      .enum(['Preparing', 'Importing', 'Waiting', 'Inserted', 'Failing', 'Failed', 'Ejecting', 'Ejected'])
      .meta({
        description:
          'How far it is. Waiting: the image is there, and the machine takes it at its next boot. Failing and Ejecting: it is being undone.',
      })
      .optional(),
    progress: text(16, 'Share of the import that is done, as 42.0%.').optional(),
    message: text(2048, 'The same in a sentence.').optional(),
    id: word(63, 'Names this insertion, and no other of this BMC.').optional(),
    detached: flag('The client wants the image kept away from the guest.').optional(),
    userName: text(255, 'Who asked the image server for it, where it wanted to know.').optional(),
    startedAt: dateTime('When it was asked for.').optional(),
    endedAt: dateTime('When the image was there, or was given up.').optional(),
    size: text(32, 'Room that the image needs.').optional(),
    vmUID: text(64, 'UID of the VM that it was inserted into.').optional(),
    volume: text(253, 'DataVolume with the image, or with the last one.').optional(),
    drive: text(63, 'CD-ROM drive of the VM that it is in.').optional(),
    driveAdded: flag('The VM had no CD-ROM drive; this one is taken away again.').optional(),
    hotpluggable: flag('It goes in and comes out while the guest runs.').optional(),
    originalVolume: text(
      16_384,
      'What the owner had in the drive, as JSON; it is put back when the image is ejected or the BMC deleted.',
    ).optional(),
  })
  .meta({ description: 'A drive and what is in it.' });

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
      .meta({ description: 'Where the BMC answers.' })
      .optional(),
    bootOverride: bootOverride.optional(),
    firmwareSetup: firmwareSetup.optional(),
    virtualMedia: z
      .array(insertedMedia)
      .max(16)
      .meta({
        description: 'Drives and what is in them.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['slot'],
      })
      .optional(),
    agent: z
      .object({
        name: text(253, 'Pod of the one agent that acts unasked.').optional(),
        image: text(1024, 'Image that it runs.').optional(),
        observedGeneration: count('Generation of the BMC that the agent serves.').optional(),
      })
      .meta({ description: 'The agent that serves the BMC.' })
      .optional(),
    conditions: conditions.optional(),
  })
  .meta({ description: 'The BMC that is there.' });

/** Rules on the object as a whole; its name becomes a label of what is made for it. */
export const virtualMachineBMC = z
  .object({ spec: virtualMachineBMCSpec, status: virtualMachineBMCStatus.optional() })
  .meta({
    description:
      'A baseboard management controller for a KubeVirt VirtualMachine: power, boot device and more through IPMI and Redfish.',
    'x-kubernetes-validations': [
      { rule: 'size(self.metadata.name) <= 63', message: 'name must have 63 characters or fewer' },
    ],
  });
