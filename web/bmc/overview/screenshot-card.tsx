import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Card } from '../../common/card.tsx';
import { Empty } from '../../common/states.tsx';
import { screenshotUri } from '../console/console-uris.ts';
import { useBmc, useResource } from '../redfish/bmc-context.ts';
import { asProblem } from '../redfish/problem.ts';
import type { ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';

/** ms between two screenshots. */
const EVERY = 10_000;

/** A picture of the screen. It is not there if the machine has no graphics or the console is switched off. */
export function ScreenshotCard(): JSX.Element | null {
  const { body: system } = useResource<ComputerSystem>(SYSTEM);
  const uri = system && screenshotUri(system);
  return uri === undefined ? null : <Picture uri={uri} state={system?.PowerState ?? 'Off'} />;
}

/** As large as the card. */
export function ScreenshotPlaceholder(): JSX.Element {
  return (
    <Card title="Screen">
      <figure class="screenshot" />
    </Card>
  );
}

function Picture({ uri, state }: { uri: string; state: string }): JSX.Element {
  const { client } = useBmc();
  const [picture, setPicture] = useState<string>();
  const [trouble, setTrouble] = useState<string>();
  const isOff = state === 'Off';
  useEffect(() => {
    const end = new AbortController();
    let shown: string | undefined;
    async function take(): Promise<void> {
      if (document.hidden) return;
      try {
        const response = await client.open(uri, {}, end.signal);
        const url = URL.createObjectURL(await response.blob());
        if (shown !== undefined) URL.revokeObjectURL(shown);
        shown = url;
        setPicture(url);
        setTrouble(undefined);
      } catch (error) {
        if (!end.signal.aborted) setTrouble(asProblem(error).message);
      }
    }
    setPicture(undefined);
    setTrouble(undefined);
    if (isOff) return undefined;
    void take();
    const timer = setInterval(() => void take(), EVERY);
    return () => {
      clearInterval(timer);
      end.abort();
      if (shown !== undefined) URL.revokeObjectURL(shown);
    };
  }, [client, uri, isOff]);
  return (
    <Card title="Screen" aside={<a href="#/screen">Open the screen</a>}>
      <figure class="screenshot">
        {picture === undefined ? (
          <Empty icon="screen" title={isOff ? 'The machine is off' : (trouble ?? 'Taking a picture')} />
        ) : (
          <img src={picture} alt="The screen of the machine, some seconds ago" />
        )}
      </figure>
    </Card>
  );
}
