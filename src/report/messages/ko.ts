import { loadSize } from '../../core/workload/load.js';
import { formatPercent } from '../format.js';
import type { Messages } from './en.js';
import { KO_FINDINGS, KO_REASONS } from './ko-advice.js';
import { changeUnit, KO_ANSWER } from './ko-answer.js';
import { KO_EVIDENCE } from './ko-evidence.js';
import { KO_RECORD } from './ko-record.js';

const KO_LOADS = {
  closed: (slots: number) => `동시 ${slots}건`,
  open: (rate: number) => `초당 ${rate}건`,
};

/** Every text of a report in Korean. Codes, ids and measures such as TTFT p99 stay as in the files. */
export const KO: Messages = {
  notMeasured: '측정 안 함',
  notReported: '보고되지 않음',
  withheld: (code) => `보류: ${code}`,
  prefixes: (count) => `프리픽스 ${count}개`,
  load: (load) =>
    `${load.group === undefined ? '' : `${load.group}, `}${KO_LOADS[load.kind](Number(loadSize(load).toFixed(3)))}`,
  axis: {
    prefixes: '프리픽스 그룹 수',
    prefix: '프리픽스 그룹',
    worker: '워커',
    hitRate: '요청, %',
    cachedRatio: '프롬프트 토큰, %',
    ttft: 'TTFT, ms',
    share: '요청, %',
    concurrency: '동시 요청 수',
    rate: '제시 부하, 건/s',
    throughput: '완료, 건/s',
    order: '시행 내 요청 순서, %',
    lost: '기대 캐시 토큰, %',
  },
  ceiling: '상한',
  capacity: '용량 상한',
  cached: '캐시됨',
  offered: '제시',
  parts: {
    cached: '캐시됨',
    firstTouch: '첫 접촉',
    eviction: '축출',
    inFlight: '처리 중',
    placement: '배치',
    notFirstTouch: '손실(원인 미상)',
  },
  figures: {
    cachedTokens: {
      title: '프리픽스 그룹 수에 따른 캐시된 프롬프트 토큰',
      caption:
        '채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다. 상한은 완전하고 용량이 무제한인 캐시가 같은 요청에 줄 수 있는 값입니다.',
    },
    hitRate: {
      title: '프리픽스 그룹 수에 따른 요청 적중률',
      caption:
        '프리픽스 토큰이 하나라도 캐시된 요청의 비율입니다. 채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다. 상한: 각 프리픽스의 첫 요청만 빗나갑니다.',
    },
    ttft: {
      title: 'TTFT 분포',
      caption:
        '어떤 시간 안에 첫 토큰을 받은 요청의 비율입니다. 채택된 모든 시행의 요청을 합쳐 1 % 간격 백분위수로 그렸습니다. 왼쪽일수록 빠릅니다.',
    },
    timeline: {
      title: '시행이 진행되는 동안의 TTFT',
      caption:
        '선 하나가 채택된 시행 하나입니다. 연속한 10분의 1 구간마다의 평균 TTFT입니다. 처음이 높으면 빈 캐시이고, 선이 서로 벌어지면 시행 사이의 표류입니다.',
    },
    lostHits: {
      title: '기대한 캐시 토큰이 간 곳',
      caption:
        '기대값은 모든 요청이 프리픽스의 블록 전체에 적중하는 경우입니다. 첫 접촉은 피할 수 없고, 축출은 용량, 처리 중은 동시성, 배치는 라우터의 몫입니다.',
    },
    throughput: {
      title: '완료 부하',
      caption: '초당 성공한 요청입니다. 채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다.',
    },
    workers: {
      title: '어느 워커가 어느 프리픽스 그룹을 처리했는가',
      caption: (where) =>
        `${where}에서 채택된 첫 시행의 요청 수입니다. 변형들의 캐시 토큰이 가장 다른 셀입니다. 한 열에 칸이 하나면 그 프리픽스는 한 워커에 머물렀습니다. 워커 번호는 변형마다 id 순서로 새로 붙였습니다.`,
    },
  },
  measures: {
    request_hit_rate: '요청 적중률',
    cached_token_ratio: '캐시 토큰 비율',
    cached_token_ceiling: '캐시 토큰 상한',
    workers_seen: '관측된 워커',
    workers_per_prefix: '프리픽스당 워커',
    ttft_mean_ms: 'TTFT 평균',
    ttft_p50_ms: 'TTFT p50',
    ttft_p90_ms: 'TTFT p90',
    ttft_p99_ms: 'TTFT p99',
    tpot_p50_ms: 'TPOT p50',
    e2e_p50_ms: 'E2E p50',
    e2e_p99_ms: 'E2E p99',
    throughput_rps: '처리량',
    output_tokens_per_s: '출력 토큰',
    offered_rps: '제시 부하',
    duration_s: '소요 시간',
  },
  unit: (unit) => ({ 'req/s': '건/s', 'tokens/s': '토큰/s', workers: '개' })[unit] ?? unit,
  changeUnit,
  sections: {
    title: (variants) => `KV 캐시 라우팅: ${variants.join(', ')}`,
    answer: '결론',
    findings: '먼저 알아야 할 것',
    results: '결과',
    changes: '변화와 판정',
    why: '이득이 더 크지 않은 이유',
    whyNone: (candidates, baseline) => `${baseline}보다 ${candidates} 쪽이 낫지 않은 이유`,
    figures: '그림',
    method: '방법',
    provenance: '출처',
    record: '실험 기록',
  },
  tables: {
    load: '부하',
    cell: '셀',
    prefixes: '프리픽스',
    variant: '변형',
    expected: '기대 토큰',
    noneKept: '채택된 시행 없음',
    withheld: '보류',
    losses: '원인별 캐시 토큰 손실',
    noLosses: '알 수 없음: 캐시 토큰을 보고한 대상이 없습니다.',
    workers: '워커별 부하',
    workerPrefix: (where) => `워커와 프리픽스별 요청 수: ${where}`,
    noWorkers: '알 수 없음: 어느 워커가 요청을 처리했는지 보고한 대상이 없습니다.',
    capacity: '요청 적중률과 용량 상한, %',
    ofCeiling: (actual, ceiling) => `${actual} / 상한 ${ceiling}`,
    bandNote: '채택된 시행의 중앙값(최솟값–최댓값).',
    medianNote: '채택된 시행의 중앙값.',
    capacityNote:
      '상한은 min(1, 관측된 워커 × 워커 하나가 담는 프리픽스 / 프리픽스)입니다. 어떤 프리픽스도 두 번 담기지 않을 때 캐시가 담을 수 있는 몫입니다.',
    lossNote:
      '기대 캐시 토큰(모든 요청이 프리픽스의 블록 전체에 적중)에 대한 비율이며, 채택된 시행을 합쳤습니다. 각 행의 합은 100 %입니다. 첫 접촉은 피할 수 없고, 축출은 용량, 처리 중은 동시성, 배치는 라우터의 몫입니다.',
    workersNote: '워커당 요청 수의 변동 계수(우연만으로 생기는 값), 가장 바쁜 워커의 몫.',
    marks: {
      '*': '이 백분위수를 말하기에는 시행의 요청이 너무 적음: 최댓값과 거의 같음',
      '†': '채택되지 않은 시행이 있음: 발견 사항을 볼 것',
      '‡': '캐시 토큰을 보고한 요청만의 값이며, 모든 요청이 보고하지는 않음',
    },
  },
  changes: {
    heading: (candidate, baseline) => `${baseline} 대비 ${candidate}`,
    note: '▲ 나음, ▼ 나쁨, ≈ 잡음 범위 안. 괄호 안은 변화의 95 % 구간입니다. 비율은 퍼센트포인트로, 시간과 처리량은 퍼센트로 나타냅니다.',
    noValue: '변화를 낼 수 없음',
    noVerdict: {
      'no-value': '둘 중 하나에 값이 없음',
      'zero-value': '둘 중 하나가 0이라 퍼센트를 낼 수 없음',
      'no-requests': '판정 없음: grid.csv만으로는 요청을 알 수 없음',
      'not-paired': '판정 없음: 두 실행이 같은 요청을 같은 순서로 보내지 않음',
      'no-common-repeat': '판정 없음: 둘 다 채택한 반복이 없음',
      'one-repeat': '판정 없음: 반복이 하나뿐이라 반복 사이의 차이를 알 수 없음',
      'percentile-unsupported': '판정 없음: 이 백분위수를 말하기에는 요청이 너무 적음',
      'client-limited': '판정 없음: 클라이언트가 이 시간만큼 늦었을 수 있음',
      withheld: '판정 없음: 옳을 수 없는 수치로 발견됨',
    },
  },
  findings: {
    none: '이 수치를 해칠 만한 것은 발견되지 않았습니다.',
    seen: ([where, ...others], count, first) => {
      const rest = count - 1 - others.length;
      const also = `${others.join(', ')}${rest > 0 ? ` 외 ${rest}곳` : ''}`;
      return `${where}: ${first}${also === '' ? '' : ` (${also}도)`}`;
    },
    repeated: (count, unit, first, seen) =>
      `${unit === 'trials' ? '시행' : '셀'} ${count}개, 예: ${first}: ${seen}`,
    codes: KO_FINDINGS,
  },
  reasons: KO_REASONS,
  evidence: KO_EVIDENCE,
  method: {
    workload: (of) =>
      `요청마다 그룹이 공유하는 프리픽스 ${of.prefixTokens}토큰과 자기만의 꼬리 ${of.tailTokens}토큰을 보내고, 출력 ${of.outputTokens}토큰을 요청합니다. 셀 ${of.cells}개, 셀마다 시행 ${of.repeats}회, 시행마다 요청 ${of.requests}건입니다.`,
    order: (seed, start, warmup) =>
      `프롬프트와 순서는 시드 ${seed}, 셀, 반복에서만 나옵니다. 모든 변형이 같은 프롬프트를 같은 순서로 받았습니다. 시행의 시작 방식은 ${start}${warmup > 0 ? `, 예열 요청 ${warmup}건 뒤` : ''}이며, 반복마다 격자 전체를 추첨한 순서로 돕니다.`,
    times:
      'TTFT는 요청을 열린 소켓에 넘긴 때부터 첫 토큰을 담은 읽기까지입니다. 연결 시간과 클라이언트 안의 대기는 들어 있지 않습니다. 백분위수는 시행의 성공한 요청에 대한 최근접 순위값이며, 실패는 어떤 시간에도 들어가지 않습니다.',
    cells:
      '셀의 값은 채택된 시행의 중앙값입니다(둘이면 평균). 오염되거나 중단되거나 모두 실패한 시행은 버립니다.',
    cached:
      '캐시 토큰은 서버가 요청마다 보고한 값입니다. 상한은 완전하고 용량이 무제한인 캐시를 가정합니다. 각 프리픽스의 첫 요청만 빗나가고, 온전한 캐시 블록만 셉니다.',
    verdicts: (method) =>
      `변화는 같은 요청을 보낸 두 실행의 반복을 짝지어 냅니다. 각 변화의 ${formatPercent(method.confidence, 0)} 구간은 반복 사이의 차이에서 나옵니다(조정된 t. 셀들은 퍼짐에 대한 정보를 나누며, 요청에 대한 짝지은 부트스트랩 ${method.draws}회로 무게를 답니다). 판정은 비교의 수도 감안합니다. 한 후보에 대해 내린 판정 중 틀린 것은 많아야 ${formatPercent(method.falseDiscoveryRate, 0)}로 기대됩니다(Benjamini–Hochberg).`,
    family: (comparisons) =>
      `판정은 비교 ${comparisons}개를 함께 봅니다. 구간은 보정하지 않은 것입니다. 방법과 검증은 docs/statistics.md에 있습니다.`,
    unpaired: '구간과 판정 없음: 짝지을 수 있는 것이 없었습니다.',
    files: '이 보고서 옆의 trials.csv와 grid.csv는 run.json과 requests.jsonl에서 다시 만들었습니다.',
  },
  provenance: {
    source: '실행',
    target: '대상',
    model: '모델',
    dialect: 'dialect',
    cachedTokens: '캐시 토큰',
    workload: '워크로드 SHA-256',
    salt: '솔트 SHA-256',
    noSalt: '없음',
    time: '시각',
    status: '상태',
    kvbench: 'kvbench',
    machine: '클라이언트 기계',
    clock: '시계',
    git: 'git',
    command: '명령',
    unknown: '알 수 없음',
  },
  record: KO_RECORD,
  answer: KO_ANSWER,
};
