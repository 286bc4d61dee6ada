/** The line below the heading of a version that is being worked on, with the version before it. */
const UNRELEASED = /^Not released yet: what it has over (\S+)\.$/m;

/** The changelog when its first version is released. @throws Error if that is released already */
export function releasedChangelog(text: string, date: string): string {
  const [, first = ''] = sectionsOf(text);
  if (!UNRELEASED.test(first)) throw new Error('CHANGELOG.md: the first version is released already');
  return text.replace(UNRELEASED, `Released on ${date}. What it has over $1:`);
}

/** The changelog when the work on the next version begins. */
export function nextChangelog(text: string, version: string, next: string): string {
  const [head = '', ...sections] = sectionsOf(text);
  return [head, `## ${next}\n\nNot released yet: what it has over ${version}.\n\n`, ...sections].join('');
}

/** What the changelog says of a version, without its heading. @throws Error if it says nothing */
export function releaseNotes(text: string, version: string): string {
  const section = sectionsOf(text).find((each) => each.startsWith(`## ${version}\n`));
  const notes = section?.replace(/^.*\n/, '').trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return `${notes}\n`;
}

/** The head, and the section of each version with its heading. */
function sectionsOf(text: string): string[] {
  return text.split(/^(?=## )/m);
}
