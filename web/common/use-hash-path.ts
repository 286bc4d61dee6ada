import { useEffect, useState } from 'preact/hooks';

/** The URL's fragment behind `#/`: paths on the server belong to the server, so the pages work below any of them. */
export function useHashPath(): string {
  const [path, setPath] = useState(hashPath);
  useEffect(() => {
    const change = (): void => {
      setPath(hashPath());
    };
    addEventListener('hashchange', change);
    return () => {
      removeEventListener('hashchange', change);
    };
  }, []);
  return path;
}

function hashPath(): string {
  return location.hash.replace(/^#\/?/, '');
}
