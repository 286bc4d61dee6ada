/** KubeVirt's own; it wants none, but virtctl asks for it. */
export const CONSOLE_PROTOCOL = 'plain.kubevirt.io';

/** Where the API server has the WebSocket to the serial console of a running VM. */
export function consolePath(namespace: string, name: string): string {
  const [where, what] = [encodeURIComponent(namespace), encodeURIComponent(name)];
  return `/apis/subresources.kubevirt.io/v1/namespaces/${where}/virtualmachineinstances/${what}/console`;
}
