import { formatCount } from '../format.js';
import type { Messages } from './en.js';

/** The experiment record, in Korean. */
export const KO_RECORD: Messages['record'] = {
  intro: (empty, all) =>
    `라우팅 실험의 결과를 믿기 전에 알아야 할 것입니다. ${all}개 항목 중 ${empty}개가 비어 있습니다. 시나리오의 record: 블록으로 채웁니다.`,
  field: '항목',
  empty: '— 비어 있음',
  sections: { workload: '요청', system: '시스템', path: '선택과 경로', change: '변경과 대조' },
  fields: {
    'request-group': '요청 그룹',
    'input-length': '입력 길이, 토큰',
    'output-length': '출력 길이, 토큰',
    'offered-load': '제시 부하',
    'completed-load': '완료 부하',
    model: '모델',
    'router-mode': '라우터 모드',
    image: '이미지',
    'router-commit': '라우터 커밋',
    'deployment-mode': '배포 방식',
    'prefill-workers': '프리필 워커',
    'decode-workers': '디코드 워커',
    gpu: 'GPU',
    nic: 'NIC',
    'valid-at': '위 정보가 유효했던 시각',
    transport: '실제로 쓰인 전송 방식',
    'candidates-unreachable': '도달할 수 없는 후보',
    'candidates-without-information': '정보가 빠진 후보',
    'candidates-before-filter': '필터 전 후보',
    'candidates-after-filter': '필터 후 후보',
    choice: '선택',
    'load-per-candidate': '후보별 부하',
    'locality-per-candidate': '후보별 지역성',
    segments: '첫 토큰까지의 구간',
    'changed-condition': '바꾼 조건 하나',
    'control-run': '대조 실행',
    revert: '되돌리는 방법',
  },
  segments: {
    send_lag_ms: '클라이언트 대기',
    connect_ms: '연결',
    prefill_wait_ms: '프리필 대기열',
    prefill_ms: '프리필',
    kv_transfer_ms: 'KV 전송',
    ttft_ms: '클라이언트에서 본 TTFT',
  },
  seen: {
    groups: (prefixes) => `프리픽스 그룹 ${prefixes.join(', ')}개`,
    inputs: (prefix, tail, reported) =>
      `공유 ${prefix} + 자기 ${tail}${reported === null ? '' : `; 보고된 값 ${reported}`}`,
    outputs: (asked, reported) => `요청 ${asked}${reported === null ? '' : `; 보고된 값 ${reported}`}`,
    offered: (concurrency, rates) =>
      [
        ...(concurrency.length > 0 ? [`동시 ${concurrency.join(', ')}건(닫힌 부하)`] : []),
        ...(rates.length > 0 ? [`초당 ${rates.join(', ')}건(열린 부하)`] : []),
      ].join('; '),
    completed: (low, high) => `셀에 따라 초당 ${low}–${high}건`,
    deployment: (split, answers) =>
      `관측: 응답 ${formatCount(answers)}건 중 ${formatCount(split)}건에서 프리필 워커와 디코드 워커가 다름`,
    count: (workers) => `관측: ${workers}개`,
    ran: (from, until) => `${from}부터 ${until}까지 실행`,
    chosen: (ids, lifetimes) =>
      lifetimes === 1
        ? `관측: 워커 ${ids}개가 요청을 처리함`
        : `관측: 워커 ID ${ids}개가 ${lifetimes}벌로 차례로 요청을 처리함(대상이 다시 시작됨)`,
    locality: (list) => `모든 셀의 캐시 토큰 비율 ${list}`,
    medians: (list) => `모든 셀의 중앙값: ${list}`,
    isControl: '이 실행',
    changed: (fields) => (fields.length === 0 ? '관측: 없음' : `관측: ${fields.join(', ')}`),
  },
};
