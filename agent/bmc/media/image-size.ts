import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import { caBundle } from '../trust/index.ts';
import { imageSizeOf } from './image-server.ts';
import type { ImageOrder } from './image-url.ts';

const FIELD = 'spec.redfish.virtualMedia.tls.caBundleConfigMapRef';

/**
 * Asks the image server how large an image is, as the BMC says that it is to be asked and trusted.
 *
 * @returns bytes
 * @throws MachineError
 */
export async function sizeFor(
  order: ImageOrder,
  bmc: VirtualMachineBMC,
  { client, hosts, signal }: { client: KubeClient; hosts: HostDependencies; signal: AbortSignal },
): Promise<number> {
  const { allowedHosts = [], tls } = bmc.spec.redfish?.virtualMedia ?? {};
  const name = tls?.caBundleConfigMapRef?.name;
  const { namespace = '' } = bmc.metadata;
  const ca =
    name === undefined || order.url.protocol === 'http:'
      ? {}
      : { ca: await caBundle(client, { namespace, name }, FIELD) };
  return await imageSizeOf(order, { allowedHosts, hosts, ...ca, insecure: tls?.insecureSkipVerify === true, signal });
}
