import { z } from 'zod';

/** Functions that create schemas of single fields. `kubectl explain` shows the descriptions. */

/** Free text of at most `max` characters. */
export function text(max: number, description: string) {
  return z.string().max(max).meta({ description });
}

/** Text of at least one character. */
export function word(max: number, description: string) {
  return z.string().min(1).max(max).meta({ description });
}

/** The name of a Kubernetes object. With a slash, in the path of a request, it would name something else. */
export function objectName(description: string) {
  return z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    .meta({ description });
}

/** Refers to an object of the same namespace by its name. */
export function localReference(description: string, name: string) {
  return z.object({ name: objectName(name) }).meta({ description, 'x-kubernetes-map-type': 'atomic' });
}

export function flag(description: string) {
  return z.boolean().meta({ description });
}

/** A whole number of `min` to `max`. */
export function integer(min: number, max: number, description: string) {
  return z.int().min(min).max(max).meta({ description });
}

/** A count without an upper limit. */
export function count(description: string) {
  return z.int().min(0).meta({ description });
}

export function port(description: string) {
  return integer(1, 65_535, description);
}

/** Has room for IPv6, so that the API server answers "must be of type ipv4" and not "too long". */
export function ipv4(description: string) {
  return z.ipv4().max(45).meta({ description });
}

export function ipv4Cidr(description: string) {
  return z.cidrv4().max(49).meta({ description, patternMessage: 'must be an IPv4 network, such as 10.0.0.0/24' });
}

/** Six octets in hexadecimal, separated by colons or dashes, in either case. */
export function macAddress(description: string) {
  return z
    .string()
    .max(17)
    .regex(/^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/)
    .meta({ description, patternMessage: 'must be a MAC address, such as 52:54:00:12:34:56' });
}

/** RFC 3339. */
export function dateTime(description: string) {
  return z.iso.datetime({ offset: true }).max(64).meta({ description });
}

/** Network of a VM: the name of a net-attach-def, with or without its namespace. */
export function networkName(description: string) {
  return word(317, description);
}

/** Boot files of a pool or of an interface, by client. The keys are those of `BootFiles` in `protocols/dhcp`. */
export function bootFiles(description: string) {
  return z
    .object({
      bios: text(2048, 'Boot file of BIOS clients.').optional(),
      'efi-ia32': text(2048, 'Boot file of UEFI clients, x86 32-bit.').optional(),
      'efi-x64': text(2048, 'Boot file of UEFI clients, x86-64.').optional(),
      'efi-arm64': text(2048, 'Boot file of UEFI clients, ARM 64.').optional(),
      'efi-riscv64': text(2048, 'Boot file of UEFI clients, RISC-V 64.').optional(),
      'http-ia32': text(2048, 'Boot URL of UEFI HTTP clients, x86 32-bit.').optional(),
      'http-x64': text(2048, 'Boot URL of UEFI HTTP clients, x86-64.').optional(),
      'http-arm64': text(2048, 'Boot URL of UEFI HTTP clients, ARM 64.').optional(),
      'http-riscv64': text(2048, 'Boot URL of UEFI HTTP clients, RISC-V 64.').optional(),
      s390x: text(2048, 'Boot file of s390x clients.').optional(),
      ipxe: text(2048, 'Script or file of iPXE clients.').optional(),
    })
    .meta({ description });
}

/** A map of strings with at most `entries` keys. */
export function stringMap(entries: number, valueLength: number, description: string) {
  return z.record(z.string(), z.string().max(valueLength)).meta({ description, maxProperties: entries });
}

/** A resource quantity, as `500m` or `128Mi`, or a number. */
export function quantity() {
  const pattern = '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$';
  return z
    .union([z.string().max(64).regex(new RegExp(pattern)), z.int()])
    .meta({ 'x-kubernetes-int-or-string': true, pattern });
}

/** A validation rule in the Common Expression Language, and its error message. */
export interface Rule {
  rule: string;
  message: string;
}

/** Metadata that attaches rules to a field. */
export function rules(...list: Rule[]) {
  return { 'x-kubernetes-validations': list };
}

/** The field cannot be changed. Only for required fields. */
export const immutable = rules({ rule: 'self == oldSelf', message: 'field is immutable' });

/** metav1.Condition, with Kubernetes' limits. */
export const condition = z
  .object({
    type: z
      .string()
      .max(316)
      .regex(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
      )
      .meta({ description: 'Type of the condition.' }),
    status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Status of the condition.' }),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .meta({ description: 'Reason for the status, one CamelCase word for programs.' }),
    message: text(32_768, 'Reason for the status and what to do, a sentence for people.'),
    lastTransitionTime: dateTime('Time of the last change of status.'),
    observedGeneration: count('Generation of the object that the condition describes.').optional(),
  })
  .meta({ description: 'A condition of the object.' });

/** `status.conditions`: a list that server-side apply merges by type. */
export const conditions = z
  .array(condition)
  .max(32)
  .meta({
    description: 'Conditions of the object.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });
