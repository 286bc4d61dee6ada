import { Command, Option } from 'commander';
import { collect, trueOrFalse, wholeNumber } from '../parse.ts';
import type { Dependencies } from '../program.ts';
import { AGENT_FLAGS, type AgentFlag, type AgentName, type AgentValues } from './flags.ts';
import { runAgent } from './run.ts';

const DESCRIPTIONS: Readonly<Record<AgentName, string>> = {
  bmc: 'Serve the BMC of a virtual machine: IPMI in, KubeVirt API calls out.',
  dhcp: 'Serve DHCP on a network of virtual machines: the addresses that the control plane chose.',
};

/** `groundcrew agent …`: the data plane. The manager writes these command lines into Deployments. */
export function agentCommand(dependencies: Dependencies): Command {
  return new Command('agent')
    .description('Run an agent; the manager starts them, people rarely do.')
    .addCommand(oneAgent('bmc', dependencies))
    .addCommand(oneAgent('dhcp', dependencies));
}

function oneAgent(name: AgentName, { env }: Dependencies): Command {
  const command = new Command(name).description(DESCRIPTIONS[name]);
  for (const flag of AGENT_FLAGS[name]) command.addOption(optionOf(flag));
  return command.action(async (values: AgentValues) => {
    for (const { flag, unless } of AGENT_FLAGS[name]) {
      const [word = ''] = flag.split(' ');
      if (unless !== undefined && !(unless in values) && !(word.slice(2) in values))
        command.error(`error: required option '${flag}' or '--${unless}' not specified`);
    }
    process.exitCode = await runAgent(name, values, env);
  });
}

function optionOf({ flag, text, takes, standard, isOptional = false, unless }: AgentFlag): Option {
  const option = new Option(flag, text);
  if (standard !== undefined) option.default(standard);
  else if (!isOptional && unless === undefined) option.makeOptionMandatory();
  if (takes === 'text' || takes === 'nothing') return option;
  if (takes === 'texts') return option.argParser(collect);
  if (takes === 'boolean') return option.argParser(trueOrFalse);
  return 'least' in takes ? option.argParser(wholeNumber(takes.least, takes.most)) : option.choices(takes);
}
