export { BOOT_RULES } from './boot-rules.ts';
export { planBoot, type BootPlan } from './plan-boot.ts';
export { describeBoot } from './describe-boot.ts';
