import { z } from 'zod';
import { flag, integer, localReference, port, rules, stringMap, word } from './fields.ts';
import * as pod from './scheduling.ts';
import { virtualMachineBMCStatus } from './virtual-machine-bmc-status.ts';

const service = z
  .object({
    type: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
      .default('ClusterIP')
      .meta({ description: 'From where the BMC is reachable. Default: ClusterIP.' }),
    labels: stringMap(64, 63, 'Labels to add to the Service.').optional(),
    annotations: stringMap(64, 16_384, 'Annotations to add to the Service.').optional(),
    loadBalancerClass: word(317, 'Class of the load balancer; only for type LoadBalancer.').optional(),
    ipFamilyPolicy: z
      .enum(['SingleStack', 'PreferDualStack', 'RequireDualStack'])
      .meta({ description: 'IP families of the Service. Default: those of the cluster.' })
      .optional(),
    externalTrafficPolicy: z
      .enum(['Cluster', 'Local'])
      .meta({
        description: 'Local preserves client addresses; for types NodePort and LoadBalancer. Default: Cluster.',
      })
      .optional(),
    nodePorts: z
      .object({
        ipmi: integer(0, 65_535, 'UDP port of IPMI on every node; 0: chosen by the cluster.').optional(),
        redfish: integer(0, 65_535, 'TCP port of Redfish on every node; 0: chosen by the cluster.').optional(),
      })
      .meta({ description: 'Node ports, for types NodePort and LoadBalancer.' })
      .optional(),
  })
  .meta({ description: 'The Service <vm>-virtbmc of the BMC.' });

const ipmi = z
  .object({
    enabled: flag(
      "Answer IPMI on port 623/UDP. Default: the installation's (the chart's bmc.defaults.ipmi, true).",
    ).optional(),
    cipherSuites: z
      .array(z.union([z.literal(17), z.literal(3)]))
      .min(1)
      .max(2)
      .default([17, 3])
      .meta({
        description:
          'Offered cipher suites in order of preference: 17 (HMAC-SHA256, AES-CBC-128), 3 (HMAC-SHA1, AES-CBC-128). Default: 17, 3.',
        'x-kubernetes-list-type': 'set',
      }),
    serialOverLan: flag(
      "Serve the machine's serial console over LAN, to one client at a time (ipmitool sol activate). Default: true.",
    ).default(true),
    ipmi15: flag(
      'Also accept sessions of IPMI 1.5 (ipmitool -I lan), authenticated with MD5. They are not encrypted, so their content is ' +
        'visible on the network. Default: false.',
    ).default(false),
    advertisedPort: port(
      'UDP port of the BMC for clients, which Serial over LAN reports to them: clients refuse a console on another port than ' +
        'that of their session. Default: the port of status.endpoints.ipmi.',
    ).optional(),
    oemEventRecords: flag(
      'Follow each event of the IPMI event log with two OEM records: the user (C0h) and the source address (C1h). A change renumbers ' +
        'the records. Default: false, so that ipmitool sel list prints one line for each event.',
    ).default(false),
    hideUserNames: flag(
      'Report an unknown user like a wrong password, so that names cannot be guessed. ' +
        'Default: false, so clients can report which of both is wrong.',
    ).default(false),
    lockout: z
      .object({
        threshold: integer(
          0,
          1000,
          'Wrong passwords of a user from an address until the user is locked out there; 0: never. Default: 5.',
        ).default(5),
        seconds: integer(1, 86_400, 'Seconds of the lockout. Default: 60.').default(60),
      })
      .meta({ description: 'Lockout after wrong passwords.' })
      .optional(),
  })
  .meta({ description: 'IPMI settings of the BMC.' });

/** Labels separated by dots. The last one has a letter: `192.0.2.999` is not a name. */
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
  'ConfigMap of the same namespace with the trusted certificates in key ca.pem.',
  'Name of the ConfigMap.',
);

const virtualMedia = z
  .object({
    storage: z
      .object({
        storageClassName: word(253, "Storage class of the images. Default: the cluster's.").optional(),
        volumeMode: z.enum(['Filesystem', 'Block']).meta({ description: "Default: the storage profile's." }).optional(),
      })
      .meta({ description: 'Storage of inserted images.' })
      .optional(),
    tls: z
      .object({
        insecureSkipVerify: flag("Do not verify the image server's certificate. Default: false.").optional(),
        caBundleConfigMapRef: caBundleConfigMapRef.optional(),
      })
      .meta({ description: 'Verification of image servers.' })
      .optional(),
    allowedHosts: hosts(
      'Allowed hosts of images, by name or IP address, with or without a port; absent or empty: all. Loopback, link-local, multicast and ' +
        'unspecified addresses are allowed only if the list contains the address itself.',
    ).optional(),
  })
  .meta({ description: 'Images that clients insert as a CD or a USB stick.' });

const events = z
  .object({
    tls: z
      .object({ caBundleConfigMapRef: caBundleConfigMapRef.optional() })
      .meta({ description: 'Verification of listeners.' })
      .optional(),
    allowedHosts: hosts(
      'Allowed hosts of event listeners, by name or IP address, with or without a port; absent or empty: all. Loopback, link-local, ' +
        'multicast and unspecified addresses are allowed only if the list contains the address itself.',
    ).optional(),
  })
  .meta({ description: 'Events that clients subscribe to.' });

const redfish = z
  .object({
    tls: z
      .object({
        secretRef: localReference(
          'Secret of the same namespace, of type kubernetes.io/tls, with the certificate and its key, which are copied to Secret ' +
            '<name>-tls. While it is not valid, the previous certificate stays in use. Absent: the CA of the installation ' +
            'issues a certificate, and Redfish clients may set another one.',
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
          .meta({
            description:
              "Further DNS names of the issued certificate, under domains that the installation allows (the chart's bmc.allowedDNSSuffixes).",
          })
          .optional(),
      })
      .meta({ description: 'HTTPS certificate.' })
      .optional(),
    http: z
      .object({
        enabled: flag(
          'Also answer plain HTTP on port 80, where passwords are visible on the network. Default: that of the installation ' +
            "(the chart's bmc.defaults.redfishHttp, false).",
        ).optional(),
      })
      .meta({ description: 'Redfish without encryption.' })
      .optional(),
    webConsole: flag(
      'Serve a web page at / with the screen, the serial console, media and log, and their WebSockets. Default: that of the ' +
        "installation (the chart's bmc.defaults.webConsole, true).",
    ).optional(),
    legacyProperties: flag('Include deprecated properties for older clients. Default: true.').default(true),
    virtualMedia: virtualMedia.optional(),
    events: events.optional(),
  })
  .meta({ description: 'Redfish settings of the BMC.' });

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
  .meta({ description: "The agent of the BMC; overrides the installation's defaults." });

export const virtualMachineBMCSpec = z
  .object({
    virtualMachineRef: localReference(
      'The VirtualMachine of the BMC, in the same namespace. Immutable. Of several BMCs of a VM, the oldest serves it.',
      'Name of the VirtualMachine.',
    ).meta(
      rules({
        rule: 'self == oldSelf',
        message: 'virtualMachineRef is immutable: delete this VirtualMachineBMC and create one for the other VM',
      }),
    ),
    authSecretRef: localReference(
      'Secret of the same namespace with the keys username and password (and kg, the key of two-key logins). ' +
        'It is only read. Absent: <name>-credentials is created with a random password.',
      'Name of the Secret.',
    ).optional(),
    service: service.optional(),
    ipmi: ipmi.optional(),
    redfish: redfish.optional(),
    placement: z
      .enum(['Dedicated', 'Shared'])
      .meta({
        description:
          'Dedicated: an agent of its own. Shared: an agent that serves many BMCs of the namespace; not with spec.agent. ' +
          'Default: that of the annotation bmc.kubevirt.io/placement of the namespace, else of the installation.',
      })
      .optional(),
    agent: agent.optional(),
  })
  .meta({ description: 'The desired BMC.' });

/** The name is a label value of the BMC's objects. */
export const virtualMachineBMC = z
  .object({ spec: virtualMachineBMCSpec, status: virtualMachineBMCStatus.optional() })
  .meta({
    description:
      'A baseboard management controller for a KubeVirt VirtualMachine: power, boot device and more through IPMI and Redfish.',
    'x-kubernetes-validations': [
      { rule: 'size(self.metadata.name) <= 63', message: 'name must have 63 characters or fewer' },
    ],
  });
