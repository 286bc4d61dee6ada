import { UnfinishedLookup } from '../../hosts/index.ts';
import { MachineError } from '../../machine/index.ts';
import { RefusedDestination } from './admit-destination.ts';
import { ListenerRefusal } from './post-event.ts';
import { TooLate } from '../../within.ts';

/** A readable reason for a failed delivery, without a full stop. It contains nothing that the listener sent. */
export function deliveryProblem(error: unknown): string {
  if (error instanceof RefusedDestination) return error.message.replace(/\.$/, '');
  if (error instanceof ListenerRefusal) return `The listener answered ${error.status}`;
  if (error instanceof MachineError) return error.message;
  if (error instanceof UnfinishedLookup) return `The listener cannot be found: ${error.message}`;
  if (error instanceof TooLate) return 'The listener did not answer in time';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  if (['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(code)) return "The listener's name is not known here";
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER|VERIFY/.test(code)) {
    const advice =
      'a ConfigMap with the certificates to trust goes into spec.redfish.events.tls.caBundleConfigMapRef of the VirtualMachineBMC';
    return `The listener's certificate is not trusted (${code}): ${advice}`;
  }
  return `The listener cannot be reached (${code})`;
}
