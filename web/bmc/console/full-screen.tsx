import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { useNotices } from '../../common/use-notices.ts';

/**
 * A button that shows a console in full screen, and ends it. The document is in full screen and the style sheet hides
 * the rest of the page: what is outside of an element in full screen, such as a notice, cannot be seen or used.
 */
export function FullScreen(): JSX.Element {
  const notices = useNotices();
  useEffect(
    () => () => {
      if (document.fullscreenElement !== null) void document.exitFullscreen();
    },
    [],
  );
  const change = async (): Promise<void> => {
    try {
      if (document.fullscreenElement === null) await document.documentElement.requestFullscreen();
      else await document.exitFullscreen();
    } catch {
      notices.failed({ message: 'The browser has refused the full screen.' });
    }
  };
  return (
    <Button
      isNarrow
      // Browsers of phones have it for videos only.
      reason={document.fullscreenEnabled ? undefined : 'This browser shows no page in full screen.'}
      onClick={() => void change()}
    >
      Full screen
    </Button>
  );
}
