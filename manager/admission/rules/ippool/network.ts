import { networkKey } from '../../../../api/index.ts';
import { networkNameErrors } from '../network-name.ts';
import type { PoolRule } from './inputs.ts';

/** The network name must be valid. A missing network is only a warning: the pool waits for it. */
export const network: PoolRule = ({ metadata, spec }, old, { networkExists }) => {
  const errors = networkNameErrors('spec.networkName', spec.networkName);
  if (errors.length > 0) return { errors };
  if (old !== undefined || networkExists === true) return {};
  const key = networkKey(spec.networkName, metadata.namespace ?? '');
  const what = `spec.networkName: there is no NetworkAttachmentDefinition ${key} yet`;
  return {
    warnings: [networkExists === undefined ? `${what}: Multus is not installed` : `${what}; the pool waits for it`],
  };
};
