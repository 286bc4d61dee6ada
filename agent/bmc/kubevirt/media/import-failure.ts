import type { DataVolume, DataVolumeStatus } from '../../../../api/index.ts';
import { withMaskedUrls } from './image-url.ts';

/**
 * Restarts of CDI's importer after which an import has failed. CDI itself retries forever. Kubernetes repeats a first failure at once, so
 * the second follows within seconds; the pauses grow from then on.
 */
const RESTARTS = 1;
/** The same for an importer that says nothing, or restarts to get a volume for temporary data. */
const RESTARTS_WITHOUT_REASON = 3;
const NO_REASON = /^$|scratch space/i;
/** Errors that a further attempt cannot fix. */
const HOPELESS = /\b(400|401|403|404|410)\b|x509|no such host|larger PVC|unsupported|not allowed|internal address/i;

/** Why an import has failed, and what to do, in sentences; undefined if it has not. */
export function importFailureOf({ status }: DataVolume): string | undefined {
  if (status === undefined) return undefined;
  const { phase, restartCount = 0, conditions } = status;
  const refusal = refusalOf(conditions);
  if (refusal !== undefined) return withAdvice(`CDI cannot create a volume for the image: ${refusal}`);
  const running = conditions?.find(({ type }) => type === 'Running');
  const isError = running?.status === 'False' && running.reason === 'Error';
  const message = running?.message ?? '';
  const most = NO_REASON.test(message) ? RESTARTS_WITHOUT_REASON : RESTARTS;
  const isOver = phase === 'Failed' || (isError && (restartCount >= most || HOPELESS.test(message)));
  if (!isOver || phase === 'Succeeded') return undefined;
  return withAdvice(`CDI could not import the image: ${message === '' ? 'no reason given' : message}`);
}

/** Why CDI creates no claim. One with the name of the volume may still be in deletion: CDI tries again. */
function refusalOf(conditions: DataVolumeStatus['conditions']): string | undefined {
  const bound = conditions?.find(({ type, status }) => type === 'Bound' && status === 'False');
  const { reason, message = reason } = bound ?? {};
  return reason?.startsWith('Err') === true && reason !== 'ErrResourceExists' ? message : undefined;
}

/**
 * Why an import does not run, as CDI says: it has no volume or no pod yet, or waits before the next attempt. Cut and masked, so that the
 * status has the same text.
 */
export function importDelayOf({ status }: DataVolume): string | undefined {
  const { conditions = [] } = status ?? {};
  const { message } =
    ['Bound', 'Running']
      .map((type) => conditions.find((condition) => condition.type === type))
      .find((found) => found?.status === 'False' && found.message && found.reason !== 'Completed') ?? {};
  return message && `the import waits: ${withMaskedUrls(message.slice(0, MAX_DELAY))}`;
}

/** Characters of CDI's text. */
const MAX_DELAY = 500;

const STORAGE = 'spec.redfish.virtualMedia.storage of the VirtualMachineBMC';
const CA = 'spec.redfish.virtualMedia.tls.caBundleConfigMapRef of the VirtualMachineBMC';

/** What to do, by the text of the failure. The first that fits. */
const ADVICE: readonly [RegExp, string][] = [
  // CDI ≥ 1.67 imports from internal addresses only if its configuration lists them.
  [
    /allowedSourceURLs|(internal|private|loopback|link-local|disallowed)\b.*\baddress|address.*\bnot allowed/i,
    "To import from an internal address, add the URL to spec.allowedSourceURLs of CDI's configuration (CDIConfig), and insert the image again",
  ],
  [
    /no such host|cannot be reached|refused|timed? ?out|unreachable|no answer|interrupted|reset by peer|EOF|\b50\d\b/i,
    'Check that the image server is up and that pods of the namespace reach it, and insert the image again',
  ],
  [/\b40[13]\b/, 'Insert the image again with the UserName and Password of the image server'],
  [/\b(400|404|410)\b/, 'Check the URL, and insert the image again'],
  [/x509|certificate/i, `Name a ConfigMap with the CA of the image server in ${CA}, and insert the image again`],
  [/larger PVC/, 'Insert an uncompressed image (ISO or raw): the volume has the size that the image server states'],
  [
    /create a volume/,
    `Check the storage class (${STORAGE}) and the quota of the namespace, and insert the image again`,
  ],
];
const OTHERWISE = 'Insert the image again';

export function withAdvice(failure: string): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(failure)) ?? [undefined, OTHERWISE];
  return `${failure.replace(/[.\s]+$/, '')}. ${advice}`;
}

/** The parts of a message about a failure; the advice of a message that has none is general. */
export function withoutAdvice(message: string): { message: string; resolution: string } {
  const advice = [...ADVICE.map(([, text]) => text), OTHERWISE].find((text) => message.endsWith(`. ${text}`));
  if (advice === undefined) return { message, resolution: `${OTHERWISE}.` };
  return { message: message.slice(0, -advice.length - 2), resolution: `${advice}.` };
}
