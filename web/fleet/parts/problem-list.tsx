import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Problem } from '../../../cli/status/overview.ts';
import { Button } from '../../common/button.tsx';
import { Icon } from '../../common/icons.tsx';
import { groupProblems, kindTitle, kindWords, pageOf, type ProblemGroup } from '../data/troubles.ts';
import { adviceOf } from './advice.ts';
import { Copy } from './copy.tsx';

/** Groups that are shown at first. */
const GROUPS = 5;
/** Problems of a group that are shown before `Show all`, and after it. */
const FEW = 2;
const MOST = 100;

/** What is wrong and what to do, grouped where many objects have the same problem. */
export function ProblemList({ problems }: { problems: readonly Problem[] }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const groups = groupProblems(problems);
  return (
    <>
      <ul class="problems">
        {groups.slice(0, isWhole ? groups.length : GROUPS).map((group) => (
          <Group key={`${group.kind} ${group.reason}`} group={group} />
        ))}
      </ul>
      {groups.length > GROUPS && (
        <div class="buttons">
          <Button
            isNarrow
            isExpanded={isWhole}
            onClick={() => {
              setWhole(!isWhole);
            }}
          >
            {isWhole ? 'Show fewer' : `Show ${groups.length - GROUPS} more kinds of problems`}
          </Button>
        </div>
      )}
    </>
  );
}

function Group({ group: { kind, reason, problems } }: { group: ProblemGroup }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { length } = problems;
  const isLong = length > FEW;
  const shown = problems.slice(0, isOpen ? MOST : isLong ? 1 : FEW);
  return (
    <li class="problem-group">
      <Icon name="alert" />
      <div>
        <h3>
          {length > 1 ? `${length} ${kindWords(kind, length)}` : kindTitle(kind)}: <span>{reason}</span>
        </h3>
        <ul>
          {shown.map((problem, index) => (
            <li key={index}>
              <ProblemText problem={problem} isNamed />
            </li>
          ))}
        </ul>
        {isLong && (
          <Button
            isNarrow
            isExpanded={isOpen}
            onClick={() => {
              setOpen(!isOpen);
            }}
          >
            {isOpen ? 'Show one' : `Show ${length > MOST ? `the first ${MOST}` : `all ${length}`}`}
          </Button>
        )}
      </div>
    </li>
  );
}

/** All that is wrong with one object, which its page names; nothing if it is well. */
export function ObjectProblems({ problems }: { problems: readonly Problem[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <section class="panel-problems" aria-label="What is wrong">
      {problems.map((problem) => (
        <ProblemText key={problem.reason} problem={problem} />
      ))}
    </section>
  );
}

/** One problem: its object, what is wrong, what to do. */
function ProblemText({ problem, isNamed = false }: { problem: Problem; isNamed?: boolean }): JSX.Element {
  const { namespace, name, what, todo } = problem;
  const page = pageOf(problem);
  const object = [namespace, name].filter((part) => part !== undefined).join('/');
  return (
    <div class="problem">
      {isNamed && name !== undefined && <strong>{page === undefined ? object : <a href={page}>{object}</a>}</strong>}
      <p>{what}</p>
      {todo !== undefined && todo !== '' && <Todo text={todo} />}
    </div>
  );
}

function Todo({ text }: { text: string }): JSX.Element {
  const { before, command, after } = adviceOf(text);
  return (
    <p class="todo">
      <strong>What to do: </strong>
      {before}
      {command !== undefined && <Copy text={command} what="the command" />}
      {after}
    </p>
  );
}
