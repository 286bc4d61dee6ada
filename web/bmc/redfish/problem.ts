/** A request that the BMC refused or that did not reach it, in words for the reader. */
export class Problem extends Error {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** What to do, as the BMC says. */
  readonly resolution: string | undefined;

  constructor(message: string, about: { status: number; resolution?: string | undefined }) {
    super(message);
    this.status = about.status;
    this.resolution = about.resolution;
  }
}

/** A message of DSP0266's extended information. */
interface Message {
  readonly Message?: string;
  readonly Resolution?: string;
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly '@Message.ExtendedInfo'?: readonly Message[];
  };
}

/** The problem that an answer with an error status states (DSP0266 §8.6). */
export function problemOf(status: number, body: unknown, retryAfter?: string | null): Problem {
  const error = (body as ErrorBody | undefined)?.error;
  const [first] = error?.['@Message.ExtendedInfo'] ?? [];
  const message = first?.Message ?? error?.message ?? `The BMC answered with HTTP status ${status}.`;
  const { Resolution: advice = 'None' } = first ?? {};
  const wait = retryAfter ? `Try again in ${retryAfter} s.` : '';
  const resolution = `${/^None\.?$/.test(advice) ? '' : advice} ${wait}`.trim();
  return new Problem(message, { status, resolution: resolution === '' ? undefined : resolution });
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(error instanceof Error ? error.message : String(error), { status: 0 });
}
