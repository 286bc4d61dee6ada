import type { DataVolume } from '../../../api/index.ts';

/** Attempts after which an import is given up. CDI itself goes on for ever. */
const ATTEMPTS = 3;
/** What no further attempt can mend. */
const HOPELESS = /\b(400|401|403|404|410)\b|x509|no such host|larger PVC|unsupported|not allowed|internal address/i;
const ADDRESS_REFUSED =
  /allowedSourceURLs|(internal|private|loopback|link-local|disallowed)\b.*\baddress|address.*\bnot allowed/i;

/** Why an import has come to nothing, as a sentence; undefined: it has not. */
export function importFailureOf({ status }: DataVolume): string | undefined {
  if (status === undefined) return undefined;
  const { phase, restartCount = 0, conditions = [] } = status;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const running = find('Running');
  const bound = find('Bound');
  if (bound?.status === 'False' && bound.reason?.startsWith('Err') === true) {
    return `CDI can make no volume for the image: ${bound.message ?? bound.reason}`;
  }
  const isError = running?.status === 'False' && running.reason === 'Error';
  const message = running?.message ?? '';
  const isOver = phase === 'Failed' || (isError && (restartCount >= ATTEMPTS || HOPELESS.test(message)));
  if (!isOver || phase === 'Succeeded') return undefined;
  return withAdvice(`CDI could not import the image: ${message === '' ? 'it does not say why' : message}`);
}

/** CDI ≥ 1.67 imports from internal addresses only where its configuration names them. */
export function withAdvice(sentence: string): string {
  if (!ADDRESS_REFUSED.test(sentence)) return sentence;
  return `${sentence}. To import from an internal address, add the URL to spec.allowedSourceURLs of CDI's configuration (CDIConfig)`;
}
