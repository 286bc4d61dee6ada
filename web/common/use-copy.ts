import { useCallback } from 'preact/hooks';
import { useNotices } from './use-notices.ts';

/** Copies a text, and says so if the browser refuses it. The result is whether it has copied. */
export function useCopy(): (text: string) => Promise<boolean> {
  const notices = useNotices();
  return useCallback(
    async (text: string) => {
      // A page that has come by plain HTTP from another machine has none.
      const clipboard = navigator.clipboard as Clipboard | undefined;
      try {
        await clipboard?.writeText(text);
        if (clipboard !== undefined) return true;
      } catch {
        // The notice below says all that is known.
      }
      notices.failed({
        message: 'The browser does not allow the page to copy.',
        resolution: 'Select the text and copy it with the keyboard.',
      });
      return false;
    },
    [notices],
  );
}
