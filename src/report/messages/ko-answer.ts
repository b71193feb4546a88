import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { LossCause } from '../../core/measure/lost-hits.js';
import { formatCount, formatMs, formatPercent } from '../format.js';
import type { Messages } from './en.js';
import type { ChangeWords, LossWords } from './word-values.js';

/** The answer's sentences, in Korean. */
export const KO_ANSWER: Messages['answer'] = {
  forbidden: '이 실행들은 지금 이대로 비교하면 안 됩니다. 이유는 아래에 있습니다.',
  cellNote: '▲ 나음, ▼ 나쁨, ≈ 잡음 범위 안, ? 판정 없음',
  loadNote:
    '부하마다 셀의 중앙값입니다. ▲3: 그중 3개 셀에서 나음, ▼1: 1개에서 나쁨, ≈ 모두 잡음 범위 안, ? 판정 없음.',
  moreRows: (rows) => `그 밖에 ${rows}개`,
  changes: (candidate, baseline, of) => `${baseline} 대비 ${candidate}: ${of.map(changeText).join('; ')}.`,
  lost: (sides) =>
    sides.length === 0
      ? '손실을 나눌 수 없습니다. 캐시 토큰을 보고한 대상이 없습니다.'
      : `모든 요청이 적중했다면 받았을 캐시 토큰 중 잃은 몫: ${sides.map(lossText).join('; ')}.`,
  single: (label, ok, requests, cells) =>
    `${label}: 셀 ${cells}개에서 요청 ${formatCount(requests)}건 중 ${formatCount(ok)}건에 응답했습니다. 비교한 것은 없습니다.`,
  singleRange: (ratio, ceiling, ttft) =>
    `${ratio === null ? '캐시 토큰은 보고되지 않았습니다' : `프롬프트 토큰 중 캐시에서 온 몫은 셀에 따라 ${rangeText(ratio, formatPercent)}입니다`}${ratio === null || ceiling === null ? '' : `(상한 ${rangeText(ceiling, formatPercent)})`}. TTFT p50은 ${ttft === null ? '측정되지 않았습니다' : `${rangeText(ttft, formatMs)} ms입니다`}.`,
};

/** `TTFT p50 12개 셀 중 11개에서 30.0 % 감소`. */
function changeText(change: ChangeWords): string {
  const { measure, cells, better, worse, noVerdict, before, after } = change;
  if (before === null || after === null) return `${measure} 양쪽 값을 알 수 없음`;
  const by = ({ by }: ChangeWords['better']) => `${(by ?? 0).toFixed(1)} ${changeUnit(change.changeUnit)}`;
  const [up, down] = change.higherIsBetter ? ['증가', '감소'] : ['감소', '증가'];
  const calls = [
    ...(better.cells > 0 ? [`${better.cells}개에서 ${by(better)} ${up}`] : []),
    ...(worse.cells > 0 ? [`${worse.cells}개에서 ${by(worse)} ${down}`] : []),
  ];
  const called = calls.length === 0 ? '모두 잡음 범위 안' : calls.join(', ');
  const open = noVerdict > 0 ? `, 판정 없음 ${noVerdict}개` : '';
  const verdict = noVerdict === cells ? '판정 없음' : `${cells}개 셀 중 ${called}${open}`;
  if (change.changeUnit === 'pp') return `${measure} ${before} → ${after} ${change.unit} (${verdict})`;
  return `${measure} ${verdict}`;
}

/** `points` or `%`. */
export function changeUnit(unit: ChangeUnit): string {
  return unit === 'pp' ? '%p' : '%';
}

const CAUSES: Readonly<Record<LossCause, string>> = {
  firstTouch: '첫 접촉(피할 수 없음)',
  eviction: '축출(용량)',
  inFlight: '처리 중(동시성)',
  placement: '배치(라우터)',
  notFirstTouch: '워커 id 없이는 나눌 수 없는 원인',
};

function lossText(side: LossWords): string {
  if (side.cause === null) return `${side.label} 없음`;
  return `${side.label} ${formatPercent(side.lost)}, 가장 큰 원인은 ${CAUSES[side.cause]} ${formatPercent(side.causeShare)}`;
}

function rangeText(range: readonly [number, number], format: (value: number) => string): string {
  const [low, high] = range.map((value) => format(value));
  return low === high ? `${low}` : `${low}–${high}`;
}
