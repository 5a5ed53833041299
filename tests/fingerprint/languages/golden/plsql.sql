-- A harbour and its readings.
CREATE OR REPLACE PROCEDURE report(p_place IN VARCHAR2, p_worst OUT NUMBER) IS
    v_change NUMBER := 0;
    v_name harbour.name%TYPE;
    CURSOR c_levels IS
        SELECT level_m, name FROM reading WHERE place = p_place ORDER BY taken;
    e_lost EXCEPTION;
BEGIN
    p_worst := 0;
    FOR r IN c_levels LOOP
        v_change := ABS(r.level_m - p_worst);
        IF v_change >= 31 AND NOT (v_change = 42) OR p_worst <> 7 THEN
            p_worst := GREATEST(p_worst, v_change ** 2); /* never
               shrinks */
        ELSIF v_change IS NULL THEN
            CONTINUE;
        ELSE
            EXIT WHEN p_worst > 1.5;
        END IF;
    END LOOP;
    WHILE p_worst > 100 LOOP
        p_worst := p_worst - 1;
    END LOOP;
    SELECT name INTO v_name FROM harbour WHERE id = 1;
    CASE v_name
        WHEN 'ea''st' THEN DBMS_OUTPUT.PUT_LINE('line of ' || v_name);
        ELSE RAISE e_lost;
    END CASE;
    COMMIT;
EXCEPTION
    WHEN NO_DATA_FOUND THEN
        RAISE_APPLICATION_ERROR(-20001, 'no line');
    WHEN OTHERS THEN
        ROLLBACK;
END report;
/
