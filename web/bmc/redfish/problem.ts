/** A request that the BMC refused or that did not reach it, in words for the reader. */
export class Problem extends Error {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** What to do, as the BMC says. */
  readonly resolution: string | undefined;
  /** It is `groundcrew web` that refused it, on the way to the BMC. */
  readonly isOnTheWay: boolean;

  constructor(message: string, about: { status: number; resolution?: string | undefined; isOnTheWay?: boolean }) {
    super(message);
    this.status = about.status;
    this.resolution = about.resolution;
    this.isOnTheWay = about.isOnTheWay ?? false;
  }
}

/** A message of DSP0266's extended information. */
interface Message {
  readonly Message?: string;
  readonly Resolution?: string;
}

interface ErrorBody {
  /** A text: of `groundcrew web`. */
  readonly error?:
    | {
        readonly message?: string;
        readonly '@Message.ExtendedInfo'?: readonly Message[];
      }
    | string;
}

/** The problem that an answer with an error status states (DSP0266 §8.6). */
export function problemOf(status: number, body: unknown, retryAfter?: string | null): Problem {
  const error = (body as ErrorBody | undefined)?.error;
  if (typeof error === 'string') return new Problem(error, { status, isOnTheWay: true });
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
