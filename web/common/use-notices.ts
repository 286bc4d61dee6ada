import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What went wrong and what to do about it. */
export interface Trouble {
  readonly message: string;
  readonly resolution?: string | undefined;
}

export interface Notices {
  /** Says that something was done. It goes away by itself. */
  done(text: string): void;
  /** Says what went wrong. It stays until it is closed. */
  failed(trouble: Trouble): void;
  /** Says why a button does nothing now. It goes away by itself. */
  refused(reason: string): void;
}

export const NoticesContext = createContext<Notices>({
  done: () => undefined,
  failed: () => undefined,
  refused: () => undefined,
});

export function useNotices(): Notices {
  return useContext(NoticesContext);
}
