import type { Requirements } from './python-environment.ts';

/**
 * Source of a program: a Debian package, a Go module in this folder that `go build` compiles, PyPI with the
 * requirements in `python/`, or the history of this repository. `file`: the path of a file in a package that is not a
 * program, such as firmware.
 */
export type Source =
  | { debian: string; file?: string }
  | { python: Requirements }
  | { history: 'previous-release.json' }
  | {
      module: 'kubernetes' | 'etcd' | 'helm' | 'bmc-clients' | 'kubevirt' | 'prometheus' | 'rufio' | 'ipmi-load';
      package: string;
      linkerFlags?: readonly string[];
      tags?: readonly string[];
    };

const KUBERNETES_VERSION = ['gitVersion=v1.34.4', 'gitMajor=1', 'gitMinor=34'].map(
  (field) => `-X k8s.io/component-base/version.${field}`,
);

const KUBEVIRT_VERSION = ['-X kubevirt.io/client-go/version.gitVersion=v1.8.4'];

/** All programs that the tests run and the project does not contain. */
export const TOOLS = {
  'kube-apiserver': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    linkerFlags: KUBERNETES_VERSION,
  },
  'kube-controller-manager': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    linkerFlags: KUBERNETES_VERSION,
  },
  kubectl: { module: 'kubernetes', package: 'k8s.io/kubernetes/cmd/kubectl', linkerFlags: KUBERNETES_VERSION },
  'virt-api': { module: 'kubevirt', package: 'kubevirt.io/kubevirt/cmd/virt-api', linkerFlags: KUBEVIRT_VERSION },
  'virt-controller': {
    module: 'kubevirt',
    package: 'kubevirt.io/kubevirt/cmd/virt-controller',
    linkerFlags: KUBEVIRT_VERSION,
  },
  // A small Groundcrew program that prints the objects that virt-operator installs.
  'kubevirt-manifests': { module: 'kubevirt', package: '.' },
  etcd: { module: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  helm: { module: 'helm', package: 'helm.sh/helm/v3/cmd/helm' },
  promtool: {
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    // Without the clients of all clouds, which take minutes to compile.
    tags: ['remove_all_sd'],
  },
  // A small Groundcrew program around the library of Tinkerbell's Rufio.
  'bmclib-client': { module: 'bmc-clients', package: '.' },
  rufio: { module: 'rufio', package: 'github.com/tinkerbell/rufio' },
  goipmi: { module: 'bmc-clients', package: 'github.com/bougou/go-ipmi/cmd/goipmi' },
  // The load client of the IPMI benchmark, a Groundcrew program without other modules.
  'ipmi-load': { module: 'ipmi-load', package: '.' },
  // The command `groundcrew` of the release before this one.
  'previous-release': { history: 'previous-release.json' },
  ipmitool: { debian: 'ipmitool' },
  'ipmi-power': { debian: 'freeipmi-tools' },
  ipmiconsole: { debian: 'freeipmi-tools' },
  // Runs a program in a pseudo-terminal.
  script: { debian: 'bsdutils' },
  // The path is that of the Python with this package.
  pyghmi: { python: 'requirements' },
  // Likewise; contains DMTF's validators, sushy and redfishtool.
  'redfish-validators': { python: 'redfish-requirements' },
  // Likewise; contains ansible-playbook and the collection community.general.
  ansible: { python: 'ansible-requirements' },
  // Likewise; contains the server of OpenStack Ironic.
  ironic: { python: 'ironic-requirements' },
  // Likewise; contains Pillow, which reads its pictures and those of vncsnapshot.
  asyncvnc: { python: 'vnc-requirements' },
  vncsnapshot: { debian: 'vncsnapshot' },
  chromium: { debian: 'chromium' },
  'firefox-esr': { debian: 'firefox-esr' },
  // Makes the pictures of docs/images small.
  pngquant: { debian: 'pngquant' },
  certutil: { debian: 'libnss3-tools' },
  curl: { debian: 'curl' },
  openssl: { debian: 'openssl' },
  tar: { debian: 'tar' },
  ip: { debian: 'iproute2' },
  ldd: { debian: 'libc-bin' },
  unshare: { debian: 'util-linux' },
  tcpdump: { debian: 'tcpdump' },
  dhclient: { debian: 'isc-dhcp-client' },
  udhcpc: { debian: 'udhcpc' },
  dhcpcd: { debian: 'dhcpcd5' },
  'systemd-networkd': { debian: 'systemd', file: '/usr/lib/systemd/systemd-networkd' },
  dnsmasq: { debian: 'dnsmasq-base' },
  'kea-dhcp4': { debian: 'kea-dhcp4-server' },
  perfdhcp: { debian: 'kea-admin' },
  'qemu-system-x86_64': { debian: 'qemu-system-x86' },
  'OVMF_CODE_4M.fd': { debian: 'ovmf', file: '/usr/share/OVMF/OVMF_CODE_4M.fd' },
  'OVMF_VARS_4M.fd': { debian: 'ovmf', file: '/usr/share/OVMF/OVMF_VARS_4M.fd' },
  'efi-virtio.rom': { debian: 'ipxe-qemu', file: '/usr/lib/ipxe/qemu/efi-virtio.rom' },
} as const satisfies Record<string, Source>;

export type ToolName = keyof typeof TOOLS;

export function sourceOf(name: ToolName): Source {
  return TOOLS[name];
}
