import type { SubmitEventHandler } from 'preact';
import { useState } from 'preact/hooks';
import type { Trouble } from './use-notices.ts';

interface Submission {
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>;
  /** Why the last attempt failed. */
  readonly problem: Trouble | undefined;
  readonly isBusy: boolean;
}

/** What a form does, for a form that shows its failure in itself. One attempt at a time. */
export function useSubmit(act: () => Promise<void>): Submission {
  const [problem, setProblem] = useState<Trouble>();
  const [isBusy, setBusy] = useState(false);
  async function submit(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(error instanceof Error ? error : { message: String(error) });
    } finally {
      setBusy(false);
    }
  }
  return {
    onSubmit: (event) => {
      event.preventDefault();
      if (!isBusy) void submit();
    },
    problem,
    isBusy,
  };
}
