import type { JSX } from 'preact';
import { unready } from '../../../cli/status/overview-unready.ts';
import { Icon } from '../../common/icons.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { kindWords } from '../data/troubles.ts';

/** Whether all is well, in one line that the eye meets first. */
export function Verdict(): JSX.Element {
  const { overview } = useFleet();
  const { problems, healthy } = overview;
  if (healthy) {
    const waits = unready(overview);
    return (
      <p class="verdict good">
        <Icon name="check" />
        <strong>{waits === '' ? 'All is as it should be.' : 'Nothing is wrong.'}</strong>
        {waits !== '' && <span>{waits}</span>}
      </p>
    );
  }
  const { length } = problems;
  const words = [...Map.groupBy(problems, ({ kind }) => kind)].map(([kind, members]) => {
    const objects = new Set(members.map(({ namespace = '', name = '' }) => `${namespace}/${name}`)).size;
    return `${objects} ${kindWords(kind, objects)}`;
  });
  return (
    <p class="verdict bad">
      <Icon name="alert" />
      <strong>{length === 1 ? '1 problem' : `${length} problems`}</strong>
      <span>{words.join(', ')}</span>
    </p>
  );
}
