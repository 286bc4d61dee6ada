import { useCallback, useState } from 'preact/hooks';
import { useNotices } from './use-notices.ts';

/**
 * An action with a notice of its outcome.
 *
 * @returns the action, which resolves to whether it succeeded, and whether it is running
 */
export function useAction<Words extends readonly unknown[]>(
  act: (...words: Words) => Promise<string | undefined>,
): readonly [run: (...words: Words) => Promise<boolean>, isRunning: boolean] {
  const notices = useNotices();
  const [isRunning, setRunning] = useState(false);
  const run = useCallback(
    async (...words: Words) => {
      setRunning(true);
      try {
        const done = await act(...words);
        if (done !== undefined) notices.done(done);
        return true;
      } catch (error) {
        notices.failed(error instanceof Error ? error : { message: String(error) });
        return false;
      } finally {
        setRunning(false);
      }
    },
    [act, notices],
  );
  return [run, isRunning];
}
